"use strict";

// What the console does with times: instants that are chosen, messages that are scheduled, events that come late, and
// what passes with the world's clock.

const assert = require("node:assert/strict");
const { arm, assertOrder, listening, pane, played, view, write } = require("./hands");
const { close, open } = require("./page");
const { api, control } = require("./program");

const PASSED_MS = 15_000;
const LATE_MS = 5_000;

const composer = (page, name) => page.getByLabel(`Message as ${name}`);
const events = (page, name) => page.getByLabel(`Events of ${name}`);
const message = (page, name, text) => pane(page, name).locator(".message", { hasText: text });
const dialog = (page) => page.locator("dialog");
const fieldProblem = (page) => dialog(page).getByRole("alert");

async function begin(browser, url, name, options = {}) {
  await control(url, "POST", "/worlds", { name, ...options });
  const page = await open(browser, `${url}/console/w/${name}/act`);
  await listening(page);
  return page;
}

async function end(page, url, name) {
  await close(page);
  await control(url, "DELETE", `/worlds/${name}`);
}

/** Asserts that the field of a name has the focus and says why it was refused, and that no toast does. */
async function assertRefused(page, name, problem) {
  await fieldProblem(page).filter({ hasText: problem }).waitFor();
  assert.equal(await fieldProblem(page).count(), 1);
  const field = dialog(page).locator(`[name="${name}"]`);
  assert.equal(await field.getAttribute("aria-invalid"), "true", name);
  const described = await field.getAttribute("aria-describedby");
  assert.equal(await fieldProblem(page).getAttribute("id"), described, name);
  assert.ok(await field.evaluate((element) => element === document.activeElement), `${name} has the focus`);
  assert.equal(await page.locator(".toast.bad").count(), 0, "the dialog says it, not a toast");
}

async function schedule(page, name) {
  await pane(page, name).getByLabel("Schedule a message").click();
  await dialog(page).getByLabel("When").waitFor();
}

const times = {
  async "say in the dialog why a time zone or an instant is refused"({ browser, url }) {
    const page = await begin(browser, url, "refused-time");
    await page.getByTitle("Choose an instant and a time zone").click();
    const go = () => page.getByRole("button", { name: "Go there" }).click();
    await page.getByLabel("Time zone").fill("Europe/Berlni");
    await go();
    await assertRefused(page, "zone", "There is no time zone Europe/Berlni; did you mean Europe/Berlin?");
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await page.getByLabel("Instant").fill("2025-12-31T10:00");
    await go();
    await assertRefused(page, "at", "the clock can't go back; restore a snapshot instead");
    await page.getByLabel("Instant").fill("2026-03-29T02:30");
    await go();
    await assertRefused(page, "at", "Clocks in Europe/Berlin are put forward over 02:30:00 on that day");
    await page.getByLabel("Instant").fill("2226-03-29T02:30");
    await go();
    await assertRefused(page, "at", "the clock can be moved by 100 years at most");
    await page.getByLabel("Instant").fill("2026-10-25T02:30");
    await go();
    await page.locator(".time-day", { hasText: "Sun, 25 Oct 2026" }).waitFor();
    await page.getByText("It is 02:30:00 twice on that day").waitFor();
    await dialog(page).waitFor({ state: "detached" });
    await end(page, url, "refused-time");
  },

  async "let events arrive late for one person"({ browser, url }) {
    const page = await begin(browser, url, "late");
    await arm(page, "Max Mercer", "Events arrive 5 s late");
    // A poll that is parked is still answered.
    await write(page, "Mel Marsh", "At once");
    await message(page, "Max Mercer", "At once").waitFor();
    const began = performance.now();
    await write(page, "Mel Marsh", "Late");
    await message(page, "Mel Marsh", "Late").waitFor();
    assert.equal(await message(page, "Max Mercer", "Late").count(), 0);
    await message(page, "Max Mercer", "Late").waitFor({ timeout: 4 * LATE_MS });
    const ms = performance.now() - began;
    assert.ok(ms > LATE_MS - 500, `${ms}`);
    await view(page, "Faults");
    await page.getByRole("row", { name: /max GET \/events delays by 5000 ms until removed/ }).waitFor();
    await page.getByRole("button", { name: "Events arrive 5 s late" }).waitFor();
    await end(page, url, "late");
  },

  async "drop who types when the world's clock has passed the time that clients show it"({ browser, url }) {
    const page = await begin(browser, url, "types");
    const types = pane(page, "Max Mercer").getByText("Mel Marsh types …");
    await composer(page, "Mel Marsh").fill("I wanted to s");
    await types.waitFor();
    await control(url, "POST", "/worlds/types/clock", { advance_seconds: PASSED_MS / 1000 - 1 });
    await page.locator(".time-clock", { hasText: "09:00:14" }).waitFor();
    assert.equal(await types.count(), 1);
    await control(url, "POST", "/worlds/types/clock", { advance_seconds: 1 });
    await types.waitFor({ state: "detached" });
    const { users } = await control(url, "GET", "/worlds/types/users");
    const max = users.find(({ email }) => email.startsWith("max@")).user_id;
    await api(`${url}/w/types`, "mel", "POST", "/typing", { op: "start", to: [max], type: "direct" });
    await types.waitFor();
    await end(page, url, "types");
  },
};

module.exports = { times };
