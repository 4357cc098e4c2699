"use strict";

// What becomes of people's clients and of what they write: jumps of the clock, networks, drafts, dialogs.

const assert = require("node:assert/strict");
const { live, open } = require("./page");
const { api, control } = require("./program");
const {
  arm,
  assertOrder,
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
} = require("./hands");

const place = (page, name, topic) => pane(page, name).locator(".place", { hasText: topic });

async function remind(page, name, text) {
  await message(page, name, text)
    .getByLabel(/Act on message/)
    .click();
  await page.getByText("Remind in one hour").click();
  await events(page, name).getByText("reminders add").first().waitFor();
}

async function goTo(page, instant, day) {
  await page.getByTitle("Choose an instant and a time zone").click();
  await page.getByLabel("Time zone").fill("UTC");
  await page.getByLabel("Instant").fill(instant);
  await page.getByRole("button", { name: "Go there" }).click();
  await page.locator(".time-day", { hasText: day }).waitFor();
}

const acting = {
  async "export what fell due in jumps, so that it plays"({ browser, url, binary }) {
    await control(url, "POST", "/worlds", { name: "jumps" });
    // The world is older than the recording: what fell due before is not expected again.
    await control(url, "POST", "/worlds/jumps/clock", { advance_seconds: "90m" });
    const page = await open(browser, `${url}/console/w/jumps/act`);
    await listening(page);
    for (const name of ["Mel Marsh", "Max Mercer"]) {
      await write(page, name, `Tea of ${name}`);
      await message(page, name, `Tea of ${name}`).waitFor();
      await remind(page, name, `Tea of ${name}`);
    }
    await view(page, "Live");
    await page.getByRole("button", { name: "Clear" }).click();
    await view(page, "Act as");
    await page.getByLabel("+1 d: go on").click();
    await events(page, "Max Mercer").getByText("Good morning, everyone!").waitFor();
    // Longer than any queue stays: the story takes the reminder on the way, and makes the queue again.
    await goTo(page, "2026-01-13T10:20", "Tue, 13 Jan 2026");
    await message(page, "Max Mercer", "Tea of Max").waitFor();
    await message(page, "Max Mercer", "Tea of Max")
      .getByLabel(/Act on message/)
      .click();
    await page.getByText("Remind in one hour").click();
    await page.getByText("Last: max POST /reminders").waitFor();
    await goTo(page, "2026-01-22T09:00", "Thu, 22 Jan 2026");
    const said = await played(page, binary);
    // The ids of what came in jumps have names.
    const text = said.replaceAll(/"id":"\{\{message\d := int\}\}",/g, "");
    const due = (who, sender, topic, content) =>
      `event ${who}\n${JSON.stringify({ type: "message", message: { sender_full_name: sender, subject: topic, content } })}`;
    assertOrder(text, [
      "clock: 2026-01-05T09:00:00Z",
      "clock +1h30m",
      "The client of max polls all the time",
      "queue max 1",
      '"subject":"greetings","content":"Tea of Max Mercer"',
      "max asks to be reminded.",
      "max: POST /reminders\nmessage_id: {{message2}}\nscheduled_delivery_timestamp: {{now +1h}}",
      "clock +1d",
      due("max 1", "Mel Marsh", "greetings", "Good morning, everyone!"),
      due("mel 1", "Notification Bot", ""),
      due("max 1", "Notification Bot", ""),
      "max: POST /reminders",
      "clock +1h\n",
      due("max 1", "Notification Bot", ""),
      "clock +8d21h40m",
    ]);
    assert.doesNotMatch(said, /queue max 2/, "nothing is read after the last jump");
    assert.doesNotMatch(said, /"message":\{"(?!id)/);
    await end(page, url, "jumps");
  },

  async "register again by itself when queues end in a jump, and say so"({ browser, url, binary }) {
    const page = await begin(browser, url, "asleep");
    await write(page, "Max Mercer", "Good night");
    await message(page, "Mel Marsh", "Good night").waitFor();
    // A client that can't poll, as that of a laptop that sleeps.
    await arm(page, "Max Mercer", "Network offline");
    await write(page, "Max Mercer", "Am I heard?");
    await page.getByText("Last: max POST /messages, no reply").waitFor();
    await write(page, "Mel Marsh", "Sleep well");
    await message(page, "Mel Marsh", "Sleep well").waitFor();
    for (const hour of ["10:00:00", "11:00:00"]) {
      await page.getByLabel("+1 h: go on").click();
      await page.locator(".time-clock", { hasText: hour }).waitFor();
      await events(page, "Max Mercer").getByText("no reply").first().waitFor();
    }
    await arm(page, "Max Mercer", "End faults, network and rate limit");
    await events(page, "Max Mercer").getByText("registered again: queue 2").waitFor();
    await pane(page, "Max Mercer").getByText("listening, queue 2").waitFor();
    for (const text of ["Sleep well", "Good morning, everyone!"]) await message(page, "Max Mercer", text).waitFor();
    const text = await played(page, binary);
    assert.doesNotMatch(text, /queue max \d\n.*\nidle_queue_timeout|DELETE .rate_limit/);
    assertOrder(text, [
      "queue max 1",
      'POST /network {"profile":"offline","user":"max@chat.test"}',
      "content: Am I heard?",
      "reply none",
      "content: Sleep well",
      "clock +1h",
      "clock +1h",
      "DELETE /network?user=max%40chat.test",
      "max: GET /events\nqueue_id: {{max 1.queue_id}}",
      'reply 400\n{"code":"BAD_EVENT_QUEUE_ID"}',
      "queue max 2",
    ]);
    assert.doesNotMatch(text.slice(text.indexOf("clock +1h")), /event max 1/, "the lost queue has brought nothing");
    await end(page, url, "asleep");
  },

  async "play a story at the level and with the names of its world"({ browser, url, binary }) {
    const page = await begin(browser, url, "older", { feature_level: 300, dialect: "zulip" });
    await write(page, "Mel Marsh", "From long ago");
    await message(page, "Max Mercer", "From long ago").waitFor();
    assertOrder(await played(page, binary), ["feature_level: 300", "dialect: zulip", "content: From long ago"]);
    await end(page, url, "older");
  },

  async "keep a draft with its conversation, and in every view"({ browser, url }) {
    const page = await begin(browser, url, "drafts");
    await place(page, "Max Mercer", "lunch").click();
    await composer(page, "Max Mercer").fill("I am for soup");
    await place(page, "Max Mercer", "greetings").click();
    assert.equal(await composer(page, "Max Mercer").inputValue(), "");
    await composer(page, "Max Mercer").fill("Hello");
    await place(page, "Max Mercer", "lunch").getByLabel("has a draft").waitFor();
    // A message elsewhere does not lead there.
    await api(`${url}/w/drafts`, "mel", "POST", "/messages", {
      type: "channel",
      to: "general",
      topic: "elsewhere",
      content: "News",
    });
    await place(page, "Max Mercer", "elsewhere").waitFor();
    assert.equal(await composer(page, "Max Mercer").inputValue(), "Hello");
    await view(page, "Live");
    await live(page).first().waitFor();
    await view(page, "Act as");
    await place(page, "Max Mercer", "lunch").click();
    assert.equal(await composer(page, "Max Mercer").inputValue(), "I am for soup");
    assert.equal(await composer(page, "Mel Marsh").inputValue(), "");
    // A send without success leaves its text there, whatever is shown by then. It meets the fault that was chosen
    // before, though the call that arms it is slow.
    await page.route("**/faults", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    await arm(page, "Max Mercer", "Next send fails with 500");
    await composer(page, "Max Mercer").press("Enter");
    await place(page, "Max Mercer", "elsewhere").click();
    await page.getByText("Last: max POST /messages refused, 500").waitFor();
    assert.equal(await composer(page, "Max Mercer").inputValue(), "");
    await place(page, "Max Mercer", "lunch").click();
    assert.equal(await composer(page, "Max Mercer").inputValue(), "I am for soup");
    await composer(page, "Max Mercer").press("Enter");
    await message(page, "Max Mercer", "I am for soup").waitFor();
    await place(page, "Max Mercer", "lunch").getByLabel("has a draft").waitFor({ state: "detached" });
    await end(page, url, "drafts");
  },

  async "lead to a conversation that was begun, a direct one as well"({ browser, url }) {
    const page = await begin(browser, url, "begun");
    await pane(page, "Mel Marsh").getByRole("button", { name: "New conversation" }).click();
    await page.getByLabel("or direct, to").selectOption([{ label: "Gus Grant" }]);
    await page.getByLabel("Message", { exact: true }).fill("Only for you");
    await page.locator("dialog").getByRole("button", { name: "Send" }).click();
    await message(page, "Mel Marsh", "Only for you").waitFor();
    await end(page, url, "begun");
  },

  async "keep the conversations of both while another view is shown"({ browser, url }) {
    const page = await begin(browser, url, "conversations");
    await place(page, "Mel Marsh", "lunch").click();
    await place(page, "Max Mercer", "greetings").click();
    const shown = (name) => pane(page, name).locator(".place.here").innerText();
    const before = [await shown("Mel Marsh"), await shown("Max Mercer")];
    await view(page, "Channels");
    await page.getByLabel("As seen by").waitFor();
    await view(page, "Act as");
    await listening(page);
    await place(page, "Mel Marsh", "lunch").waitFor();
    assert.deepEqual([await shown("Mel Marsh"), await shown("Max Mercer")], before);
    assert.match(before[0], /lunch/);
    // Each person has their own.
    await pane(page, "Mel Marsh").getByLabel("Person 1").selectOption({ label: "Adam Ashby, administrator" });
    await pane(page, "Adam Ashby").getByText("listening").waitFor();
    await place(page, "Adam Ashby", "greetings").click();
    await pane(page, "Adam Ashby").getByLabel("Person 1").selectOption({ label: "Mel Marsh, member" });
    await pane(page, "Mel Marsh").getByText("listening").waitFor();
    await place(page, "Mel Marsh", "lunch").waitFor();
    assert.match(await shown("Mel Marsh"), /lunch/);
    await end(page, url, "conversations");
  },

  async "let the next two sends fail, however much is typed and read before"({ browser, url }) {
    const page = await begin(browser, url, "gateway");
    for (const name of ["Mel Marsh", "Max Mercer"]) await place(page, name, "lunch").click();
    await arm(page, "Mel Marsh", "Next two sends fail with 502");
    await composer(page, "Mel Marsh").fill("Is it up?");
    await pane(page, "Max Mercer").getByText("Mel Marsh types …").waitFor();
    await pane(page, "Mel Marsh")
      .getByRole("button", { name: /^Mark \d+ read/ })
      .click();
    await page.getByText("Last: mel POST /messages/flags").waitFor();
    for (const steps of ["3 steps", "4 steps"]) {
      await composer(page, "Mel Marsh").press("Enter");
      await page.getByText("Last: mel POST /messages refused, 502").waitFor();
      await page.getByText(steps, { exact: true }).waitFor();
      assert.equal(await composer(page, "Mel Marsh").inputValue(), "Is it up?");
    }
    await page.getByText("mel: 502 Bad Gateway: the body is HTML, not JSON ×2").waitFor();
    await composer(page, "Mel Marsh").press("Enter");
    await message(page, "Max Mercer", "Is it up?").waitFor();
    await end(page, url, "gateway");
  },

  async "say in a pane that its person lost the channel, and that it is back"({ browser, url }) {
    const page = await begin(browser, url, "lost");
    await pane(page, "Max Mercer").getByLabel("Person 2").selectOption({ label: "Gus Grant, guest" });
    await pane(page, "Gus Grant").getByText("listening").waitFor();
    await place(page, "Mel Marsh", "greetings").click();
    await place(page, "Gus Grant", "greetings").click();
    assert.equal(await page.locator(".pane .note").count(), 0);
    const world = `${url}/w/lost`;
    const { users } = await control(url, "GET", "/worlds/lost/users");
    const principals = users.filter(({ email }) => /^(gus|mel)@/.test(email)).map((user) => user.user_id);
    const change = (method, subscriptions) =>
      api(world, "olive", method, "/users/me/subscriptions", { subscriptions, principals });
    await change("DELETE", ["general"]);
    // What a guest lost can't be read; a member reads it on.
    await pane(page, "Gus Grant").getByText("#general is not accessible to Gus Grant any more").waitFor();
    await pane(page, "Mel Marsh").getByText("Mel Marsh is not subscribed to #general").waitFor();
    // A client that registers again says the same.
    for (const { queue_id: id } of (await control(url, "GET", "/worlds/lost/queues")).queues)
      await control(url, "DELETE", `/worlds/lost/queues/${id}`);
    for (const name of ["Gus Grant", "Mel Marsh"]) await pane(page, name).getByText("listening, queue 2").waitFor();
    await pane(page, "Gus Grant").getByText("#general is not accessible to Gus Grant any more").waitFor();
    await pane(page, "Mel Marsh").getByText("Mel Marsh is not subscribed to #general").waitFor();
    await change("POST", [{ name: "general" }]);
    await page.waitForFunction(() => document.querySelectorAll(".pane .note").length === 0);
    // A private channel is lost with its subscription.
    await place(page, "Mel Marsh", "design").click();
    await change("DELETE", ["design"]);
    await pane(page, "Mel Marsh").getByText("#design is not accessible to Mel Marsh any more").waitFor();
    await place(page, "Mel Marsh", "builds").click();
    assert.equal(await page.locator(".pane .note").count(), 0);
    const { channels } = await control(url, "GET", "/worlds/lost/channels");
    const { channel_id: id } = channels.find((one) => one.name === "engineering");
    await api(world, "olive", "DELETE", `/streams/${id}`);
    await pane(page, "Mel Marsh").getByText("#engineering is archived").waitFor();
    await end(page, url, "lost");
  },

  async "give dialogs the focus, and give it back"({ browser, url }) {
    const page = await begin(browser, url, "focus");
    await write(page, "Mel Marsh", "A tpyo");
    const menu = message(page, "Mel Marsh", "A tpyo").getByLabel(/Act on message/);
    const isFocused = (locator) => locator.evaluate((element) => element === document.activeElement);
    for (const close of ["Escape", "Cancel", "Save"]) {
      await menu.focus();
      await page.keyboard.press("Enter");
      await pane(page, "Mel Marsh").getByRole("button", { name: "Edit …" }).focus();
      await page.keyboard.press("Enter");
      const text = page.getByLabel("Text");
      await text.waitFor();
      assert.ok(await isFocused(text), "the text has the focus");
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type(`A typo, ${close}`);
      if (close === "Escape") await page.keyboard.press("Escape");
      else await page.getByRole("button", { name: close }).click();
      await page.locator("dialog").waitFor({ state: "detached" });
      assert.ok(await page.evaluate(() => /^Act on message/.test(document.activeElement.ariaLabel)), close);
    }
    await message(page, "Max Mercer", "A typo, Save").waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    assert.ok(await page.evaluate(() => /^Act on message/.test(document.activeElement.ariaLabel)), "menu");
    await end(page, url, "focus");
  },
};

module.exports = { acting };
