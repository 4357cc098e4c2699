"use strict";

// What several checks do in "Act as", and how they play what it exports.

const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { close, open } = require("./page");
const { control } = require("./program");

/** The line of a story's world that names the second file. */
const FIXTURE = /^fixture: (.+\.json)$/m;

const pane = (page, name) => page.getByLabel(`Acting as ${name}`);
const composer = (page, name) => page.getByLabel(`Message as ${name}`);
const events = (page, name) => page.getByLabel(`Events of ${name}`);
const message = (page, name, text) => pane(page, name).locator(".message", { hasText: text });
const view = (page, name) => page.getByLabel("Views").getByRole("link", { name }).click();

async function write(page, name, text) {
  await composer(page, name).fill(text);
  await composer(page, name).press("Enter");
}

async function arm(page, name, preset) {
  await page.getByLabel(`Arm a fault for ${name}`).click();
  await page.getByRole("button", { name: preset }).click();
}

async function listening(page) {
  for (const name of ["Mel Marsh", "Max Mercer"]) await pane(page, name).getByText("listening").waitFor();
}

/** Opens "Act as" in a new world of the built-in organization. */
async function begin(browser, url, name, options = {}) {
  await control(url, "POST", "/worlds", { name, ...options });
  const page = await open(browser, `${url}/console/w/${name}/act`);
  await listening(page);
  return page;
}

/** Closes a page and deletes its world. */
async function end(page, url, name) {
  await close(page);
  await control(url, "DELETE", `/worlds/${name}`);
}

/** Plays a scenario, which has to be as it says; `state` is the text of the file that it names as its fixture. */
function assertPlays(binary, text, state = null) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "console-"));
  const file = path.join(folder, "story.md");
  fs.writeFileSync(file, text);
  const [, fixture] = text.match(FIXTURE) ?? [];
  if (state !== null) fs.writeFileSync(path.join(folder, fixture), state);
  const { status, stdout, stderr } = spawnSync(binary, ["scenario", "run", file], { encoding: "utf8" });
  fs.rmSync(folder, { recursive: true });
  assert.equal(status, 0, `${text}\n${stdout}${stderr}`);
}

/** The second file of the export whose dialog is open, by a click on "Download". */
async function downloadedState(page) {
  const isState = (one) => one.suggestedFilename().endsWith(".json");
  const [download] = await Promise.all([
    page.waitForEvent("download", isState),
    page.getByRole("button", { name: "Download" }).click(),
  ]);
  return fs.readFileSync(await download.path(), "utf8");
}

/** Exports what was recorded as the dialog offers it, and plays it; `look` is called while the dialog is open. */
async function played(page, binary, look = () => {}) {
  await page.getByRole("button", { name: "Export as scenario" }).click();
  await look();
  const text = await page.locator(".export").textContent();
  assertPlays(binary, text, FIXTURE.test(text) ? await downloadedState(page) : null);
  await page.keyboard.press("Escape");
  return text;
}

/** Asserts that texts come in this order in another one. */
function assertOrder(text, parts) {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    assert.ok(at >= 0, `${part} should come after ${from} in\n${text}`);
    from = at + part.length;
  }
}

module.exports = {
  arm,
  assertOrder,
  assertPlays,
  begin,
  composer,
  end,
  events,
  listening,
  message,
  pane,
  played,
  view,
  write,
};
