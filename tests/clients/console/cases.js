"use strict";

// Six cases that developers reproduce by hand, each with the console alone: clicks, drags and typed texts are counted,
// and printed.

const assert = require("node:assert/strict");
const { close, live, open } = require("./page");
const { control } = require("./program");
const { composer, events, message, pane } = require("./hands");

/** A person who uses a page. */
class Hand {
  clicks = 0;
  texts = 0;
  began = performance.now();

  constructor(page) {
    this.page = page;
  }

  async click(locator) {
    this.clicks += 1;
    await locator.click();
  }

  async choose(locator, option) {
    this.clicks += 2;
    await locator.selectOption(option);
  }

  async drag(from, to) {
    this.clicks += 1;
    await from.dragTo(to);
  }

  async type(locator, text, { enter = false } = {}) {
    this.texts += 1;
    await locator.fill(text);
    if (enter) await locator.press("Enter");
  }

  view(name) {
    return this.click(this.page.getByLabel("Views").getByRole("link", { name }));
  }

  done(name) {
    const seconds = ((performance.now() - this.began) / 1000).toFixed(1);
    console.log(`# ${name}: ${this.clicks} clicks, ${this.texts} texts, ${seconds} s by script`);
  }
}

const menu = (page, name, text) => message(page, name, text).getByLabel(/Act on message/);

/** Begins at the live view; after the first click, both panes of "Act as" are listening. */
async function begin(browser, url) {
  const page = await open(browser, `${url}/console/w/default/live`);
  const hand = new Hand(page);
  await hand.view("Act as");
  await pane(page, "Mel Marsh").getByText("listening").waitFor();
  await pane(page, "Max Mercer").getByText("listening").waitFor();
  return { page, hand };
}

async function end(url, page) {
  await close(page);
  await control(url, "POST", "/worlds/default/reset", {});
}

const cases = {
  async "move a topic while a user composes in it"({ browser, url }) {
    const { page, hand } = await begin(browser, url);
    await hand.type(composer(page, "Mel Marsh"), "Where do we eat?", { enter: true });
    await hand.type(composer(page, "Max Mercer"), "I am for soup");
    await message(page, "Mel Marsh", "Where do we eat?").waitFor();
    await hand.drag(
      message(page, "Mel Marsh", "Where do we eat?"),
      pane(page, "Mel Marsh").locator(".place", { hasText: "lunch" }),
    );
    await events(page, "Max Mercer").getByText("update_message").first().waitFor();
    assert.equal(await composer(page, "Max Mercer").inputValue(), "I am for soup", "the composed text stays");
    hand.done("a topic moves while a user composes");
    await end(url, page);
  },

  async "delete a message that others have not read"({ browser, url }) {
    const { page, hand } = await begin(browser, url);
    await hand.type(composer(page, "Mel Marsh"), "Never mind", { enter: true });
    await message(page, "Max Mercer", "Never mind").and(page.locator(".unread")).waitFor();
    await hand.click(menu(page, "Mel Marsh", "Never mind"));
    await hand.click(page.getByRole("button", { name: /^Delete/ }));
    await events(page, "Max Mercer").getByText("delete_message").waitFor();
    await message(page, "Max Mercer", "Never mind").waitFor({ state: "detached" });
    hand.done("a message is deleted while unread");
    await end(url, page);
  },

  async "deactivate a user whose client polls"({ browser, url }) {
    const { page, hand } = await begin(browser, url);
    await hand.view("People");
    await hand.click(page.getByText("Max Mercer"));
    await hand.click(page.getByRole("button", { name: "Deactivate …" }));
    await hand.click(page.getByRole("button", { name: "Deactivate", exact: true }));
    await page.getByText("Max Mercer is deactivated").waitFor();
    await hand.view("Act as");
    await events(page, "Max Mercer").getByText("Account is deactivated").first().waitFor();
    hand.done("a user is deactivated mid-session");
    await end(url, page);
  },

  async "take a channel from a guest"({ browser, url }) {
    const { page, hand } = await begin(browser, url);
    await hand.choose(pane(page, "Max Mercer").getByLabel("Person 2"), { label: "Gus Grant, guest" });
    await pane(page, "Gus Grant").getByText("listening").waitFor();
    await hand.view("Channels");
    await hand.choose(page.getByLabel("As seen by"), { label: "Gus Grant, guest" });
    await hand.click(page.getByRole("button", { name: /#general/ }));
    await hand.click(page.getByRole("button", { name: /Unsubscribe/ }));
    await page.getByText("not visible for Gus Grant").waitFor();
    await hand.view("Act as");
    await events(page, "Gus Grant").getByText("stream delete").waitFor();
    hand.done("a guest loses a channel");
    await end(url, page);
  },

  async "lose the queue and the reply of one send"({ browser, url }) {
    const { page, hand } = await begin(browser, url);
    const arm = async (name) => {
      await hand.click(page.getByLabel("Arm a fault for Mel Marsh"));
      await hand.click(page.getByRole("button", { name }));
    };
    await arm("Lose the reply to the next send");
    await arm("Next poll loses its queue");
    await hand.type(composer(page, "Mel Marsh"), "Did it arrive?", { enter: true });
    await events(page, "Mel Marsh").getByText("queue lost, registering again").waitFor();
    await message(page, "Mel Marsh", "Did it arrive?").waitFor();
    assert.equal(
      await composer(page, "Mel Marsh").inputValue(),
      "Did it arrive?",
      "the text of a send without a reply stays",
    );
    assert.equal(await message(page, "Mel Marsh", "Did it arrive?").count(), 1);
    hand.done("queue and reply are lost during a send");
    await end(url, page);
  },

  async "be reminded across the change to summer time"({ browser, url }) {
    const { page, hand } = await begin(browser, url);
    await hand.click(page.getByTitle("Choose an instant and a time zone"));
    await hand.type(page.getByLabel("Time zone"), "Europe/Berlin");
    await hand.type(page.getByLabel("Instant"), "2026-03-29T01:30");
    await hand.click(page.getByRole("button", { name: "Go there" }));
    await page.locator(".time-day", { hasText: "Sun, 29 Mar 2026" }).waitFor();
    await hand.type(composer(page, "Mel Marsh"), "Remind me", { enter: true });
    await hand.click(menu(page, "Mel Marsh", "Remind me"));
    await hand.click(page.getByText("Remind in one hour"));
    await page.getByText("next: reminder").waitFor();
    await hand.click(page.getByText("next: reminder"));
    await page.getByText("03:30:00").first().waitFor();
    const { now } = await control(url, "GET", "/worlds/default/clock");
    assert.equal(now, Date.parse("2026-03-29T01:30:00Z") / 1000, "one hour later it is half past three");
    await hand.view("Live");
    await live(page).filter({ hasText: "reminder" }).first().waitFor();
    hand.done("a reminder across the change to summer time");
    await end(url, page);
  },
};

module.exports = { cases };
