"use strict";

// Panes whose person is changed while the console records: the story has the client of each of them where it was.

const assert = require("node:assert/strict");
const { arm, assertOrder, begin, end, message, pane, played, write } = require("./hands");

/** Who follows in a pane, and how the pane's list calls them. */
const LABELS = {
  "Mel Marsh": "Mel Marsh, member",
  "Max Mercer": "Max Mercer, member",
  "Gus Grant": "Gus Grant, guest",
};

/** Changes the person of the pane at a side, 1 or 2. */
async function change(page, side, name) {
  await page.getByLabel(`Person ${side}`, { exact: true }).selectOption({ label: LABELS[name] });
  await page
    .locator(".pane")
    .nth(side - 1)
    .and(pane(page, name))
    .getByText("listening")
    .waitFor();
}

/** Writes as somebody, until somebody else has it. */
async function said(page, from, text, to) {
  await write(page, from, text);
  await message(page, to, text).first().waitFor();
  await page.getByText(`Last: ${from.split(" ")[0].toLowerCase()} POST /messages`).waitFor();
}

/** Exports the events of a side, and plays the story. */
const story = (page, binary, side) =>
  played(page, binary, () => page.getByLabel("Whose events are expected").selectOption(side));

/** Exports the events of each side, and plays the stories. */
async function stories(page, binary) {
  const found = {};
  for (const side of ["left", "right", "both"]) found[side] = await story(page, binary, side);
  return found;
}

const count = (text, pattern) => text.match(pattern)?.length ?? 0;

const switched = {
  async "export who follows in the right pane where they began to listen, so that it plays"({ browser, url, binary }) {
    for (const [name, options] of [
      ["after-max", {}],
      ["after-max-247", { feature_level: 247, dialect: "zulip" }],
    ]) {
      const page = await begin(browser, url, name, options);
      await said(page, "Mel Marsh", "Before the switch", "Max Mercer");
      await change(page, 2, "Gus Grant");
      await said(page, "Gus Grant", "From the guest", "Mel Marsh");
      await page.getByLabel("+1 h: go on").click();
      await page.locator(".time-clock", { hasText: "10:00:00" }).waitFor();
      await said(page, "Mel Marsh", "An hour later", "Gus Grant");
      await page.getByRole("button", { name: "Export as scenario" }).click();
      await page.getByText("the events that max and gus received").waitFor();
      await page
        .getByLabel("Whose events are expected")
        .locator("option", { hasText: "Max Mercer, then Gus Grant, at the right" })
        .waitFor({ state: "attached" });
      await page.keyboard.press("Escape");
      const { right, left, both } = await stories(page, binary);
      assertOrder(right, [
        "queue max 1",
        "content: Before the switch",
        "event max 1",
        "The client of max ends here.",
        "The client of gus begins here.",
        "queue gus 1",
        "content: From the guest",
        "event gus 1",
        "content: An hour later",
        "event gus ",
      ]);
      assert.equal(count(right, /^```event max/gm), 1, right);
      assert.doesNotMatch(left, /queue (max|gus)|ends here|begins here/);
      assertOrder(both, ["queue mel 1", "queue max 1", "queue gus 1"]);
      await end(page, url, name);
    }
  },

  async "export who follows in the left pane, and who comes back, so that it plays"({ browser, url, binary }) {
    const page = await begin(browser, url, "comes-back");
    await said(page, "Mel Marsh", "One", "Max Mercer");
    await change(page, 1, "Gus Grant");
    await said(page, "Max Mercer", "Two", "Gus Grant");
    await change(page, 1, "Mel Marsh");
    await said(page, "Max Mercer", "Three", "Mel Marsh");
    const { left, right } = await stories(page, binary);
    assertOrder(left, [
      "queue mel 1",
      "content: One",
      "event mel 1",
      "queue gus 1",
      "content: Two",
      "event gus 1",
      "The client of gus ends here.",
      "The client of mel begins here.",
      "queue mel 2",
      "content: Three",
      "event mel 2",
    ]);
    assert.equal(count(left, /^```event /gm), 3, left);
    assert.equal(count(right, /^```event max 1/gm), 3, right);
    assert.equal(count(right, /^```queue /gm), 1, right);
    await end(page, url, "comes-back");
  },

  async "export two people who change their panes, so that it plays"({ browser, url, binary }) {
    const page = await begin(browser, url, "swapped");
    await said(page, "Mel Marsh", "One", "Max Mercer");
    await change(page, 2, "Gus Grant");
    await said(page, "Mel Marsh", "Two", "Gus Grant");
    await change(page, 1, "Max Mercer");
    await said(page, "Gus Grant", "Three", "Max Mercer");
    await change(page, 2, "Mel Marsh");
    await said(page, "Max Mercer", "Four", "Mel Marsh");
    const { left, right, both } = await stories(page, binary);
    // Who acted in a pane of the story is expected to have all their events, whichever pane they came to.
    assertOrder(left, ["One", "event mel 1", "event max 1", "Two", "Three", "event max 2", "Four", "event mel 2"]);
    assertOrder(right, ["One", "event max 1", "Two", "event gus 1", "queue max 2", "Three", "queue mel 2", "Four"]);
    assertOrder(both, ["queue max 2", "queue mel 2"]);
    await end(page, url, "swapped");
  },

  async "export a change of person before the first step as the beginning"({ browser, url, binary }) {
    const page = await begin(browser, url, "at-first");
    await change(page, 2, "Gus Grant");
    await said(page, "Mel Marsh", "Hello", "Gus Grant");
    await page.getByRole("button", { name: "Export as scenario" }).click();
    await page
      .getByLabel("Whose events are expected")
      .locator("option", { hasText: /^Gus Grant, at the right$/ })
      .waitFor({ state: "attached" });
    await page.keyboard.press("Escape");
    const { right } = await stories(page, binary);
    assertOrder(right, ["queue gus 1", "content: Hello", "event gus 1"]);
    assert.doesNotMatch(right, /queue max/);
    await end(page, url, "at-first");
  },

  async "export a person who is changed while offline, and a lost queue of who follows"({ browser, url, binary }) {
    const page = await begin(browser, url, "lost-next");
    await arm(page, "Max Mercer", "Network offline");
    await page.getByText("Last: control POST /network").waitFor();
    await write(page, "Mel Marsh", "Nobody hears this");
    await message(page, "Mel Marsh", "Nobody hears this").waitFor();
    await change(page, 2, "Gus Grant");
    await arm(page, "Gus Grant", "Next poll loses its queue");
    await write(page, "Mel Marsh", "Lost on the way");
    await pane(page, "Gus Grant").getByText("listening, queue 2").waitFor();
    await said(page, "Mel Marsh", "Back?", "Gus Grant");
    const { right } = await stories(page, binary);
    assertOrder(right, [
      "Nobody hears this",
      "queue gus 1",
      "BAD_EVENT_QUEUE_ID",
      "queue gus 2",
      "Back?",
      "event gus 2",
    ]);
    await end(page, url, "lost-next");
  },
};

module.exports = { switched };
