"use strict";

// Makes the pictures of docs/console.md: `node pictures.js --binary PROGRAM`, or `just pictures`. Their content follows
// from the built-in organization and the steps below.

const fs = require("node:fs");
const path = require("node:path");
const { parseArgs } = require("node:util");
const { api, control, launch, serve } = require("./program");

const FOLDER = path.join(__dirname, "..", "..", "..", "docs", "pictures");
const { values } = parseArgs({
  options: { browser: { type: "string", default: "/usr/bin/chromium" }, binary: { type: "string" } },
});

/** Saves a screenshot as WebP, encoded by the browser itself: a third of the PNG's size. */
async function save(page, name) {
  const picture = await page.screenshot({ type: "png" });
  const blank = await page.context().newPage();
  const webp = await blank.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext("2d").drawImage(image, 0, 0);
    const bytes = new Uint8Array(
      await (await canvas.convertToBlob({ type: "image/webp", quality: 0.72 })).arrayBuffer(),
    );
    return Array.from(bytes);
  }, picture.toString("base64"));
  await blank.close();
  fs.mkdirSync(FOLDER, { recursive: true });
  fs.writeFileSync(path.join(FOLDER, `${name}.webp`), Buffer.from(webp));
  console.log(`${name}.webp ${Math.round(webp.length / 1024)} KiB`);
}

async function open(browser, url, colorScheme, width = 1280, height = 800) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    deviceScaleFactor: width < 500 ? 2 : 1.5,
  });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

const say = (url, handle, topic, content) =>
  api(url, handle, "POST", "/messages", { type: "channel", to: "general", topic, content });

async function main() {
  const browser = await launch(values.browser);
  const server = await serve(values.binary);
  const { url } = server;
  const live = await open(browser, `${url}/console/w/default/live`, "light");
  await live.getByText("Waiting for the first request").waitFor();
  await api(url, "mel", "GET", "/users/me");
  const { id } = await say(url, "mel", "lunch", "Shall we eat at noon?");
  await api(url, "max", "POST", `/messages/${id}/reactions`, { emoji_name: "heart" });
  await api(url, "adam", "PATCH", `/messages/${id}`, { topic: "plans for today", propagate_mode: "change_one" });
  await control(url, "POST", "/worlds/default/faults", {
    times: 1,
    match: { method: "POST", path: "/messages" },
    effect: { rate_limit: { retry_after: 5 } },
  });
  await say(url, "olive", "release 1.0", "It is out!");
  await say(url, "olive", "release 1.0", "It is out!");
  await control(url, "POST", "/worlds/default/clock", { to_next: true });
  await api(url, "gus", "POST", "/messages", {
    type: "channel",
    to: "announcements",
    topic: "news",
    content: "May I?",
  });
  await live
    .getByText("May I?")
    .or(live.locator(".tag", { hasText: "400" }))
    .last()
    .click();
  await live.waitForTimeout(6500);
  await save(live, "live");

  await control(url, "POST", "/worlds/default/reset", {});
  const act = await open(browser, `${url}/console/w/default/act`, "dark");
  await act.getByText("listening").nth(1).waitFor();
  for (const name of ["Mel Marsh", "Max Mercer"])
    await act.getByLabel(`Acting as ${name}`).locator(".place", { hasText: "lunch" }).click();
  const write = async (name, text) => {
    const box = act.getByLabel(`Message as ${name}`);
    await box.fill(text);
    await box.press("Enter");
    await act.waitForTimeout(400);
  };
  await write("Mel Marsh", "Has anybody tried the new release?");
  await write("Max Mercer", "Yes! It starts at once.");
  const last = act.getByLabel("Acting as Mel Marsh").locator(".message", { hasText: "starts at once" });
  await last.getByLabel(/Act on message/).click();
  await act.getByLabel("React with heart").click();
  await act
    .getByLabel("Acting as Max Mercer")
    .getByLabel("Message as Max Mercer")
    .pressSequentially("And the clock is");
  await act.waitForTimeout(700);
  await save(act, "act");

  for (const [name, label] of [
    ["checkout", "login.spec.ts › keeps the session"],
    ["offline", "offline.spec.ts › sends again"],
    ["summer-time", "a reminder across summer time"],
  ]) {
    await control(url, "POST", "/worlds", { name, label, fork_of: "default" });
  }
  const narrow = await open(browser, `${url}/console/w/default/channels`, "light", 390, 780);
  await narrow.getByLabel("As seen by").selectOption({ label: "Gus Grant, guest" });
  await narrow.getByRole("button", { name: /#leadership/ }).click();
  await narrow.locator(".reason").first().waitFor();
  await save(narrow, "narrow");
  await server.stop();
  await browser.close();
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error.stack);
    process.exit(1);
  },
);
