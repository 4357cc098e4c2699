"use strict";

// What people do in the console, in worlds of several ages: each request of the page is one that its level knows.

const assert = require("node:assert/strict");
const { close, open } = require("./page");
const { control } = require("./program");
const { assertOrder, events, listening, message, pane, played, view, write } = require("./hands");

/** Old ones, those just below a change of what the page sends, and the newest. */
const LEVELS = [100, 247, null];
/** From these levels on, there are reminders and test notifications. */
const REMINDERS_LEVEL = 381;
const TEST_LEVEL = 420;

const has = (level, since) => level === null || level >= since;

const place = (page, name, topic) => pane(page, name).locator(".place", { hasText: topic });

async function menu(page, name, text, item) {
  await message(page, name, text)
    .getByLabel(/Act on message/)
    .click();
  await pane(page, name).getByRole("button", { name: item }).click();
}

/** Messages: written, typed, reacted to, edited, moved, marked, deleted, and direct ones. */
async function talk(page, level) {
  const composer = page.getByLabel("Message as Mel Marsh");
  await composer.fill("Slowly");
  await pane(page, "Max Mercer").getByText("Mel Marsh types …").waitFor();
  await composer.press("Enter");
  await message(page, "Max Mercer", "Slowly").waitFor();
  await menu(page, "Max Mercer", "Slowly", "React with heart");
  await message(page, "Mel Marsh", "Slowly").locator(".reaction", { hasText: "1" }).click();
  await message(page, "Max Mercer", "Slowly").locator(".reaction", { hasText: "2" }).waitFor();
  await message(page, "Mel Marsh", "Slowly").locator(".reaction", { hasText: "2" }).click();
  await message(page, "Max Mercer", "Slowly").locator(".reaction", { hasText: "1" }).waitFor();
  await menu(page, "Max Mercer", "Slowly", "Mark read");
  await menu(page, "Max Mercer", "Slowly", "Mark unread");
  await menu(page, "Mel Marsh", "Slowly", "Edit …");
  assert.equal(await page.getByLabel("Text").inputValue(), "Slowly");
  await page.getByLabel("Text").fill("Quickly");
  await page.getByRole("button", { name: "Save" }).click();
  await message(page, "Max Mercer", "Quickly").waitFor();
  await message(page, "Mel Marsh", "Quickly").dragTo(place(page, "Mel Marsh", "lunch"));
  await place(page, "Max Mercer", "lunch").click();
  await message(page, "Max Mercer", "Quickly").waitFor();
  await place(page, "Mel Marsh", "lunch").click();
  await message(page, "Mel Marsh", "Quickly")
    .getByLabel(/Act on message/)
    .click();
  const remind = pane(page, "Mel Marsh").getByText("Remind in one hour");
  assert.equal(await remind.count(), has(level, REMINDERS_LEVEL) ? 1 : 0, "reminders are offered");
  if (await remind.count()) await remind.click();
  else await page.keyboard.press("Escape");
  await pane(page, "Max Mercer")
    .getByRole("button", { name: /^Mark \d+ read/ })
    .click();
  await pane(page, "Max Mercer")
    .getByRole("button", { name: /^Mark \d+ read/ })
    .waitFor({ state: "detached" });
  await menu(page, "Mel Marsh", "Quickly", /^Delete/);
  await message(page, "Max Mercer", "Quickly").waitFor({ state: "detached" });
  await pane(page, "Mel Marsh").getByRole("button", { name: "New conversation" }).click();
  await page.getByLabel("or direct, to").selectOption([{ label: "Max Mercer" }]);
  await page.getByLabel("Message", { exact: true }).fill("Only for you");
  await page.locator("dialog").getByRole("button", { name: "Send" }).click();
  await place(page, "Max Mercer", /^\s*direct\s*Mel Marsh/).click();
  await composer.fill("And this");
  await pane(page, "Max Mercer").getByText("Mel Marsh types …").waitFor();
  await composer.press("Enter");
  await message(page, "Max Mercer", "And this").waitFor();
}

/** Files, which are sent: one that the story has, and one that it does not have. */
async function share(page) {
  await place(page, "Mel Marsh", "greetings").click();
  await place(page, "Max Mercer", "greetings").click();
  for (const file of [
    { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("small note") },
    { name: "dot.png", mimeType: "image/png", buffer: Buffer.from([137, 80, 78, 71]) },
  ]) {
    await pane(page, "Mel Marsh").locator("input[type=file]").setInputFiles(file);
    await page.waitForFunction(() =>
      document.querySelector("[aria-label='Message as Mel Marsh']").value.includes("/user_uploads/"),
    );
    await page.getByLabel("Message as Mel Marsh").press("Enter");
    await message(page, "Max Mercer", file.name).waitFor();
  }
}

/** Subscriptions, roles and accounts, in other views. */
async function administer(page, level) {
  for (const button of ["Unsubscribe Max Mercer", "Subscribe Max Mercer"]) {
    await view(page, "Channels");
    await page.getByLabel("As seen by").selectOption({ label: "Max Mercer, member" });
    await page.getByRole("button", { name: /#general/ }).click();
    await page.getByRole("button", { name: button, exact: true }).click();
    await view(page, "Act as");
    await events(page, "Max Mercer")
      .getByText(button === "Subscribe Max Mercer" ? "subscription add" : "subscription remove")
      .waitFor();
  }
  await view(page, "People");
  await page.locator(".person", { hasText: "Nora Novak" }).click();
  await page.getByLabel("Role").selectOption("administrator");
  await page.getByText("Now administrator").waitFor();
  await page.getByRole("button", { name: "Deactivate …" }).click();
  await page.getByRole("button", { name: "Deactivate", exact: true }).click();
  await page.getByText("Nora Novak is deactivated").waitFor();
  await page.getByRole("button", { name: "Reactivate" }).click();
  await page.getByText("Nora Novak is active again").waitFor();
  await view(page, "Pushes");
  await page.getByRole("heading", { name: "Pushes", exact: true }).waitFor();
  const test = page.getByRole("button", { name: "Send mel a test notification" });
  assert.equal(await test.count(), has(level, TEST_LEVEL) ? 1 : 0, "test notifications are offered");
  if (await test.count()) {
    await test.click();
    await page.locator(".phones > *").first().waitFor();
  }
  await view(page, "Act as");
}

const levels = Object.fromEntries(
  LEVELS.map((level) => [
    `do all of it in a world at ${level === null ? "the newest level" : `level ${level}`}, and export what plays`,
    async ({ browser, url, binary }) => {
      const name = `level-${level ?? "newest"}`;
      const options = level === null ? {} : { feature_level: level };
      await control(url, "POST", "/worlds", { name, dialect: "zulip", ...options });
      const page = await open(browser, `${url}/console/w/${name}/act`);
      await listening(page);
      await talk(page, level);
      await share(page);
      await administer(page, level);
      await page.getByLabel("+1 h: go on").click();
      await page.locator(".time-clock", { hasText: "10:00:00" }).waitFor();
      await write(page, "Mel Marsh", "An hour later");
      await message(page, "Max Mercer", "An hour later").waitFor();
      const { entries } = await control(url, "GET", `/worlds/${name}/journal`);
      const refused = entries.filter(({ status }) => status !== 200);
      assert.deepEqual(
        refused.map(({ method, path, params, reply }) => [method, path, params, reply]),
        [],
      );
      const text = await played(page, binary, () =>
        page.getByLabel("Whose events are expected").selectOption({ label: "both" }),
      );
      assertOrder(text, [
        `{"${level !== null && level < 272 ? "uri" : "url"}": "{{prefix}}{{file1 := string}}"}`,
        "mel writes “[note.txt]({{file1}})” in #general > greetings.",
        "content: [note.txt]({{prefix}}{{file1}})",
        '"content":"[note.txt]({{file1}})"',
      ]);
      assert.doesNotMatch(text, /\/w\/|user_uploads\S*note/, "no address of this server and no path of this upload");
      await close(page);
      await control(url, "DELETE", `/worlds/${name}`);
    },
  ]),
);

const jumps = {
  async "export what a jump brought to both where no queue outlasts it, so that it plays"({ browser, url, binary }) {
    for (const [name, buttons] of [
      ["day", ["+1 d"]],
      ["hours", ["+1 h", "+1 h"]],
    ]) {
      await control(url, "POST", "/worlds", { name, feature_level: 480 });
      const page = await open(browser, `${url}/console/w/${name}/act`);
      await listening(page);
      for (const button of buttons) {
        const before = await page.locator("button.time").innerText();
        await page.getByLabel(`${button}: go on`).click();
        await page.waitForFunction((old) => document.querySelector("button.time").innerText !== old, before);
        await listening(page);
      }
      await message(page, "Mel Marsh", "Good morning, everyone!").waitFor();
      await write(page, "Max Mercer", "Much later");
      await message(page, "Mel Marsh", "Much later").waitFor();
      await played(page, binary, () => page.getByLabel("Whose events are expected").selectOption({ label: "both" }));
      await close(page);
      await control(url, "DELETE", `/worlds/${name}`);
    }
  },
};

module.exports = { levels: { ...levels, ...jumps } };
