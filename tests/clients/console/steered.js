"use strict";

// What others do to a world by control while the console records: it is in the story, or named as not in it.

const assert = require("node:assert/strict");
const { arm, assertOrder, listening, message, pane, played, view, write } = require("./hands");
const { close, live, open } = require("./page");
const { control } = require("./program");

const last = (page, text) => page.getByText(`Last: ${text}`).waitFor();

async function begin(browser, url, name) {
  await control(url, "POST", "/worlds", { name });
  const page = await open(browser, `${url}/console/w/${name}/act`);
  await listening(page);
  const steer = (method, path, body) => control(url, method, `/worlds/${name}${path}`, body);
  const end = async () => {
    await close(page);
    await control(url, "DELETE", `/worlds/${name}`);
  };
  return { page, steer, end };
}

/** Lets the page look for snapshots, which it does every few seconds and when the dialog opens. */
async function looking(page) {
  const looks = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith("/snapshots"));
  await page.getByRole("button", { name: "Export as scenario" }).click();
  await (await looks).finished();
  await page.keyboard.press("Escape");
  await page.locator(".export").waitFor({ state: "detached" });
}

async function said(page, binary) {
  let omitted = "";
  const text = await played(page, binary, async () => {
    await page.locator(".export").waitFor();
    const alert = page.locator("dialog").getByRole("alert");
    if (await alert.count()) omitted = await alert.innerText();
  });
  return { text, omitted };
}

const steered = {
  async "export networks and jumps of others in their place, so that it plays"({ browser, url, binary }) {
    const { page, steer, end } = await begin(browser, url, "by-others");
    await arm(page, "Mel Marsh", "Network offline");
    await last(page, "control POST /network");
    await write(page, "Mel Marsh", "Nobody hears this");
    await last(page, "mel POST /messages, no reply");
    await steer("DELETE", "/network");
    await last(page, "control DELETE /network");
    await pane(page, "Mel Marsh").getByText("listening").waitFor();
    await write(page, "Mel Marsh", "Here again");
    await message(page, "Max Mercer", "Here again").waitFor();
    await message(page, "Max Mercer", "Here again")
      .getByLabel(/Act on message/)
      .click();
    await page.getByText("Remind in one hour").click();
    await last(page, "max POST /reminders");
    await steer("POST", "/clock", { advance_seconds: "2h" });
    await last(page, "jumped 2 h");
    await page.getByLabel("Events of Max Mercer").getByText("Notification Bot").first().waitFor();
    await page.getByLabel("+1 h: go on").click();
    await last(page, "jumped 1 h");
    await steer("POST", "/clock", { set: "2026-01-06T09:30:00Z" });
    await last(page, "jumped 21 h");
    await steer("POST", "/network", { user: "mel", profile: "edge", loss: 0.5 });
    await last(page, "control POST /network");
    await steer("POST", "/network", { profile: "wifi" });
    await steer("DELETE", "/network?user=mel");
    await last(page, "control DELETE /network?user=mel");
    await write(page, "Mel Marsh", "Much later");
    await message(page, "Max Mercer", "Much later").waitFor();
    await steer("DELETE", "/network");
    await last(page, "control DELETE /network");
    const { text, omitted } = await said(page, binary);
    assertOrder(text, [
      'POST /network {"profile":"offline","user":"mel@chat.test"}',
      "content: Nobody hears this",
      "reply none",
      "DELETE /network?user=mel%40chat.test",
      "content: Here again",
      '"content":"Here again"',
      "POST /reminders",
      "clock +2h",
      '"sender_full_name":"Notification Bot"',
      "clock +1h",
      "clock +21h30m",
      'POST /network {"user":"mel@chat.test","profile":"edge"}',
      'POST /network {"profile":"wifi"}',
      "The network of mel ends.",
      "DELETE /network?user=mel%40chat.test",
      "content: Much later",
      "DELETE /network",
    ]);
    assert.equal(text.match(/^clock /gm).length, 3, "each jump once");
    assert.equal(text.match(/\/network/g).length, 6, "each network once");
    assert.equal(omitted, "");
    await end();
  },

  async "export a snapshot and its restoring by others, and say what they did without a place in the story"({
    browser,
    url,
    binary,
  }) {
    const { page, steer, end } = await begin(browser, url, "gone-back");
    await write(page, "Mel Marsh", "Before it");
    await message(page, "Max Mercer", "Before it").waitFor();
    await looking(page);
    await steer("POST", "/snapshots", { name: "theirs" });
    await looking(page);
    await last(page, "control POST /snapshots");
    await write(page, "Mel Marsh", "To be undone");
    await message(page, "Max Mercer", "To be undone").waitFor();
    await steer("POST", "/snapshots/theirs/restore");
    await message(page, "Max Mercer", "To be undone").waitFor({ state: "detached" });
    await listening(page);
    await write(page, "Mel Marsh", "Instead of it");
    await message(page, "Max Mercer", "Instead of it").waitFor();
    const { text, omitted } = await said(page, binary);
    assertOrder(text, [
      "content: Before it",
      'POST /snapshots {"name":"theirs"}',
      "content: To be undone",
      "POST /snapshots/theirs/restore",
      "content: Instead of it",
    ]);
    assert.equal(text.match(/snapshots/g).length, 2);
    assert.equal(omitted, "");
    // Something is done before the page looks: the snapshot may be from before or after it.
    await looking(page);
    const lists = "**/control/worlds/gone-back/snapshots";
    await page.route(lists, (route) => route.abort());
    await write(page, "Mel Marsh", "At the same time");
    await steer("POST", "/snapshots", { name: "unplaced" });
    await steer("POST", "/clock", { running: true });
    await message(page, "Max Mercer", "At the same time").waitFor();
    await last(page, "mel POST /messages");
    await page.unroute(lists);
    await page.getByRole("button", { name: "Export as scenario" }).click();
    const alert = page.locator("dialog").getByRole("alert");
    await alert.getByText("the snapshot unplaced, by another client").waitFor();
    assert.match(await alert.innerText(), /the clock ran with real time/);
    await page.keyboard.press("Escape");
    await steer("POST", "/clock", { running: false });
    await steer("POST", "/reset");
    await page.getByText("What was recorded is forgotten: the world went back to before it").waitFor();
    await page.getByText("recording", { exact: true }).waitFor();
    await end();
  },

  async "name the feature level of the newest world in the story"({ browser, url, binary }) {
    const { page, end } = await begin(browser, url, "newest");
    const { feature_level: newest } = await control(url, "GET", "/health");
    await write(page, "Mel Marsh", "As of today");
    await message(page, "Max Mercer", "As of today").waitFor();
    const { text } = await said(page, binary);
    assertOrder(text, ["```world\n", `feature_level: ${newest}\n`, "content: As of today"]);
    await end();
  },

  async "expect the events of the person at the left, or of both, where that is chosen"({ browser, url, binary }) {
    const { page, end } = await begin(browser, url, "sides");
    await write(page, "Mel Marsh", "Before I go");
    await message(page, "Max Mercer", "Before I go").waitFor();
    await view(page, "Channels");
    await page.getByRole("button", { name: /#design/ }).click();
    await page.getByText(/^\d+ subscribers?$/).click();
    await page.getByText("To subscribe or unsubscribe somebody, choose them in “As seen by”.").waitFor();
    await page.getByLabel("As seen by").selectOption({ label: "Mel Marsh, member" });
    await page.getByText("choose them in “As seen by”").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Unsubscribe Mel Marsh" }).click();
    await page.getByText("Mel Marsh is unsubscribed").waitFor();
    await view(page, "Act as");
    await page.getByLabel("Events of Mel Marsh").getByText("subscription remove").waitFor();
    await arm(page, "Mel Marsh", "Next poll loses its queue");
    await write(page, "Max Mercer", "Are you gone?");
    await pane(page, "Mel Marsh").getByText("listening, queue 2").waitFor();
    await write(page, "Max Mercer", "There you are");
    await message(page, "Mel Marsh", "There you are").waitFor();
    const removed = '{"type":"subscription","op":"remove","subscriptions":[{"name":"design"}]}';
    const story = async (side) => {
      const text = await played(page, binary, async () => {
        await page.getByLabel("Whose events are expected").selectOption(side);
        await page.getByText(/^Without it/).waitFor();
      });
      return text;
    };
    const right = await story("Max Mercer, at the right");
    assert.doesNotMatch(right, /"op":"remove"|event mel/);
    const left = await story("Mel Marsh, at the left");
    assertOrder(left, [
      "queue mel 1",
      'event mel 1\n{"type":"message","message":{"id":"{{message1}}"',
      `event mel 1\n${removed}`,
      'reply 400\n{"code":"BAD_EVENT_QUEUE_ID"}',
      "queue mel 2",
      'event mel 2\n{"type":"message","message":{"id":"{{message3}}"',
    ]);
    assert.doesNotMatch(left, /event max/);
    const both = await story("both");
    assertOrder(both, [
      'event mel 1\n{"type":"message","message":{"id":"{{message1}}"',
      'event max 1\n{"type":"message","message":{"id":"{{message1}}"',
      `event mel 1\n${removed}`,
      "queue mel 2",
      'event mel 2\n{"type":"message","message":{"id":"{{message3}}"',
      'event max 1\n{"type":"message","message":{"id":"{{message3}}"',
    ]);
    await end();
  },

  async "say in Live whose network or rate limit ended"({ browser, url }) {
    const { page, steer, end } = await begin(browser, url, "ended");
    await arm(page, "Mel Marsh", "Network wifi");
    await arm(page, "Mel Marsh", "10 requests a minute");
    await last(page, "control POST /rate_limit");
    await steer("POST", "/network", { profile: "4g" });
    await arm(page, "Mel Marsh", "End faults, network and rate limit");
    await last(page, "control DELETE /rate_limit");
    await steer("DELETE", "/network");
    await view(page, "Live");
    const rows = live(page).filter({ hasText: /ended/ });
    await rows.nth(2).waitFor();
    const [first, second, third] = await rows.allInnerTexts();
    assert.match(first, /network[\s\S]*mel: ended; everybody: 4g, /);
    assert.match(second, /rate limit[\s\S]*mel: ended\n/);
    assert.match(third, /network[\s\S]*everybody: ended\n/);
    await end();
  },
};

module.exports = { steered };
