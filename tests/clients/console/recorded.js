"use strict";

// What the console records in all views, what it says that it does not record, and how a recording is lost.

const assert = require("node:assert/strict");
const {
  arm,
  assertOrder,
  assertPlays,
  begin,
  end,
  events,
  listening,
  message,
  pane,
  played,
  view,
  write,
} = require("./hands");
const { close, open } = require("./page");
const { api, control, serve } = require("./program");

const world = (page) => page.getByLabel("World: snapshots, fork, reset");

const person = (page, name) => page.locator(".person", { hasText: name }).click();

async function snapshot(page, name) {
  await world(page).click();
  await page.getByText("Take a snapshot …").click();
  const field = page.getByLabel("Name");
  await field.waitFor();
  const chosen = await field.evaluate((input) => input.value.slice(input.selectionStart, input.selectionEnd));
  assert.match(chosen, /^snapshot-\d+$/, "the name that is offered is selected");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await page.getByText(`Snapshot ${name} taken`).waitFor();
}

const recorded = {
  async "expect the message of a refusal, and the numbers of messages that are deleted"({ browser, url, binary }) {
    const page = await begin(browser, url, "refusals");
    await pane(page, "Max Mercer").getByLabel("Person 2").selectOption({ label: "Olive Ortega, owner" });
    await pane(page, "Olive Ortega").getByText("listening").waitFor();
    const names = ["Mel Marsh", "Olive Ortega"];
    for (const name of names) await pane(page, name).locator(".place", { hasText: "lunch" }).click();
    const edit = async (name, text, content) => {
      await message(page, name, text)
        .getByLabel(/Act on message/)
        .click();
      await page.getByRole("button", { name: "Edit …" }).click();
      await page.getByLabel("Text").fill(content);
      await page.getByRole("button", { name: "Save" }).click();
      await page.locator("dialog").waitFor({ state: "detached" });
    };
    const remove = async (name, text) => {
      await message(page, name, text)
        .getByLabel(/Act on message/)
        .click();
      await page.getByRole("button", { name: /^Delete/ }).click();
    };
    await write(page, "Olive Ortega", "I am not hungry");
    await message(page, "Mel Marsh", "I am not hungry").waitFor();
    await edit("Mel Marsh", "I am not hungry", "I am hungry");
    await page.getByText("Last: mel PATCH /messages/").waitFor();
    await remove("Mel Marsh", "Pizza or pasta");
    await page.getByText(/^Last: mel DELETE .* refused, 400$/).waitFor();
    await remove("Olive Ortega", "Pizza or pasta");
    await message(page, "Mel Marsh", "Pizza or pasta").waitFor({ state: "detached" });
    await remove("Olive Ortega", "I am not hungry");
    await message(page, "Mel Marsh", "I am not hungry").waitFor({ state: "detached" });
    await arm(page, "Mel Marsh", "Next send fails with 500");
    await write(page, "Mel Marsh", "Anybody?");
    await page.getByText("Last: mel POST /messages refused, 500").waitFor();
    const text = await played(page, binary);
    assertOrder(text, [
      'reply 400\n{"code":"BAD_REQUEST","msg":"You don\'t have permission to edit this message"}',
      "mel: DELETE /messages/{{message Pizza or pasta",
      'reply 400\n{"code":"BAD_REQUEST","msg":"You don\'t have permission to delete this message"}',
      '{"type":"delete_message","message_ids":["{{message Pizza or pasta',
      '{"type":"delete_message","message_ids":["{{message1}}"]}',
      'reply 500\n{"code":"INTERNAL_ERROR","msg":"Internal server error"}',
    ]);
    await end(page, url, "refusals");
  },

  async "record what is done in People and Channels, and say what is not in the story"({ browser, url, binary }) {
    const page = await begin(browser, url, "elsewhere");
    await write(page, "Mel Marsh", "Before");
    await message(page, "Max Mercer", "Before").waitFor();
    const subscribe = async (button) => {
      await view(page, "Channels");
      await page.getByLabel("As seen by").selectOption({ label: "Max Mercer, member" });
      await page.getByRole("button", { name: /#general/ }).click();
      await page.getByRole("button", { name: button, exact: true }).click();
      await view(page, "Act as");
      await events(page, "Max Mercer")
        .getByText(button === "Subscribe Max Mercer" ? "subscription add" : "subscription remove")
        .waitFor();
    };
    await subscribe("Unsubscribe Max Mercer");
    await write(page, "Mel Marsh", "Not for Max");
    await page.getByText("Last: mel POST /messages").waitFor();
    await subscribe("Subscribe Max Mercer");
    await view(page, "People");
    await person(page, "Max Mercer");
    await page.getByLabel("Role").selectOption("moderator");
    await page.getByText("Now moderator").waitFor();
    await page.getByRole("button", { name: "Lose queue" }).click();
    await page.getByText("Lost: its next poll").waitFor();
    await view(page, "Act as");
    await pane(page, "Max Mercer").getByText("listening, queue 2").waitFor();
    await write(page, "Mel Marsh", "Again here?");
    await message(page, "Max Mercer", "Again here?").waitFor();
    await view(page, "People");
    await person(page, "Max Mercer");
    await page.getByRole("button", { name: "Deactivate …" }).click();
    await page.getByRole("button", { name: "Deactivate", exact: true }).click();
    await page.getByText("Max Mercer is deactivated").waitFor();
    await view(page, "Act as");
    await write(page, "Mel Marsh", "While away");
    await message(page, "Mel Marsh", "While away").waitFor();
    await view(page, "People");
    await person(page, "Max Mercer");
    await page.getByRole("button", { name: "Reactivate" }).click();
    await page.getByText("Max Mercer is active again").waitFor();
    await view(page, "Act as");
    // The queue of a deactivated person stays.
    await pane(page, "Max Mercer").getByText("listening, queue 2").waitFor();
    await write(page, "Mel Marsh", "Welcome back");
    await message(page, "Max Mercer", "Welcome back").waitFor();
    // What is not in the story: another client's request, another person's queue, and a picture.
    await api(`${url}/w/elsewhere`, "adam", "POST", "/messages", {
      type: "direct",
      to: ["mel@chat.test"],
      content: "?",
    });
    await view(page, "People");
    await person(page, "Max Mercer");
    await person(page, "Mel Marsh");
    await page.getByRole("button", { name: "Lose queue" }).click();
    await page.getByText("Lost: its next poll").first().waitFor();
    await view(page, "Act as");
    await pane(page, "Mel Marsh").getByText("listening, queue 2").waitFor();
    const picture = { name: "dot.png", mimeType: "image/png", buffer: Buffer.from([137, 80, 78, 71]) };
    await pane(page, "Mel Marsh").locator("input[type=file]").setInputFiles(picture);
    await pane(page, "Mel Marsh").getByText("dot.png").or(page.getByLabel("Message as Mel Marsh")).first().waitFor();
    const text = await played(page, binary, async () => {
      await page.getByText(/^3 actions are not in the story: /).waitFor();
      const said = await page.getByRole("alert").innerText();
      assert.match(said, /the upload of dot\.png/);
      assert.match(said, /the lost queue of mel/);
      assert.match(said, /POST \/messages of adam, by another client/);
      await page.getByText("events that max received, and").waitFor();
    });
    const lost = 'reply 400\n{"code":"BAD_EVENT_QUEUE_ID"}';
    assertOrder(text, [
      '"content":"Before"',
      "unsubscribes max from #general",
      'DELETE /users/me/subscriptions\nsubscriptions: ["general"]\nprincipals: [{{max.user_id}}]',
      '{"type":"subscription","op":"remove","subscriptions":[{"name":"general"}]}',
      "content: Not for Max",
      "subscribes max to #general",
      '{"type":"subscription","op":"add","subscriptions":[{"name":"general"}]}',
      "PATCH /users/{{max.user_id}}\nrole: 300",
      "The server loses the event queue of max.",
      '"effect":{"lose_queue":true}',
      lost,
      "queue max 2",
      '"content":"Again here?"',
      "deactivates max",
      "DELETE /users/{{max.user_id}}",
      "content: While away",
      "POST /users/{{max.user_id}}/reactivate",
      '"content":"Welcome back"',
    ]);
    assert.doesNotMatch(text, /"content":"(Not for Max|While away)"/, "events that did not come are not expected");
    await end(page, url, "elsewhere");
  },

  async "export a restore to a time when somebody was active or not, so that it plays"({ browser, url, binary }) {
    const page = await begin(browser, url, "active-then");
    const activate = async (button, shown) => {
      await view(page, "People");
      await person(page, "Max Mercer");
      await page.getByRole("button", { name: button }).click();
      if (button !== "Reactivate") await page.getByRole("button", { name: "Deactivate", exact: true }).click();
      await page.getByText(shown).waitFor();
      await view(page, "Act as");
    };
    const deactivate = () => activate("Deactivate …", "Max Mercer is deactivated");
    const reactivate = () => activate("Reactivate", "Max Mercer is active again");
    const restore = async (name) => {
      await world(page).click();
      await page.getByText(`Restore ${name}`).click();
      await page.getByText(`Back at ${name}`).waitFor();
    };
    await write(page, "Mel Marsh", "First");
    await message(page, "Max Mercer", "First").waitFor();
    await snapshot(page, "active");
    await deactivate();
    await snapshot(page, "inactive");
    await restore("active");
    await pane(page, "Max Mercer").getByText("listening, queue 2").waitFor();
    await write(page, "Mel Marsh", "Active again");
    await message(page, "Max Mercer", "Active again").waitFor();
    await restore("inactive");
    await pane(page, "Mel Marsh").getByText("listening, queue 3").waitFor();
    await write(page, "Mel Marsh", "Inactive again");
    await message(page, "Mel Marsh", "Inactive again").waitFor();
    await reactivate();
    await pane(page, "Max Mercer").getByText("listening, queue 3").waitFor({ timeout: 15_000 });
    await write(page, "Mel Marsh", "At last");
    await message(page, "Max Mercer", "At last").waitFor();
    const text = await played(page, binary);
    assertOrder(text, [
      "snapshots/active/restore",
      'event max 2\n{"type":"message","message":{"id":"{{message2}}","subject":"greetings","content":"Active again"}}',
      "snapshots/inactive/restore",
      "content: Inactive again",
      "reactivates max",
      "content: At last",
      'event max 3\n{"type":"message"',
    ]);
    assert.doesNotMatch(text, /"content":"Inactive again"/);
    await end(page, url, "active-then");
  },

  async "leave out what acts on a message of another client, and say so"({ browser, url, binary }) {
    const page = await begin(browser, url, "another");
    const says = { type: "channel", to: "general", topic: "greetings", content: "From my own app" };
    await api(`${url}/w/another`, "olive", "POST", "/messages", says);
    const own = message(page, "Max Mercer", "From my own app");
    await own.getByLabel(/Act on message/).click();
    await own.getByLabel("React with heart").click();
    await page.getByText("Last: max POST /messages/").waitFor();
    await own.getByLabel(/Act on message/).click();
    await own.getByText("Remind in one hour").click();
    await page.getByText("Last: max POST /reminders").waitFor();
    await write(page, "Mel Marsh", "And mine");
    await message(page, "Max Mercer", "And mine").waitFor();
    await pane(page, "Max Mercer")
      .getByRole("button", { name: /^Mark \d+ read/ })
      .click();
    await page.getByText("Last: max POST /messages/flags").waitFor();
    await page.getByLabel("+1 h: go on").click();
    await page.getByText("5 steps", { exact: true }).waitFor();
    const text = await played(page, binary, async () => {
      await page.getByText("1 action is not in the story: POST /messages of olive, by another client").waitFor();
      const said = "2 steps are left out, since they act on what is not in the story: ";
      await page.getByText(`${said}max reacts with heart; max asks to be reminded.`).waitFor();
    });
    assertOrder(text, [
      "Left out, since it acts on what is not in the story: max reacts with heart.",
      "Left out, since it acts on what is not in the story: max asks to be reminded.",
      "mel: POST /messages\n",
      "messages: [{{message1}}]",
      "clock +1h",
    ]);
    assert.doesNotMatch(text, /\/messages\/\d|reactions|max: POST \/reminders/);
    await end(page, url, "another");
  },

  async "leave out what is done in a channel that another client made"({ browser, url, binary }) {
    const page = await begin(browser, url, "made");
    await api(`${url}/w/made`, "mel", "POST", "/users/me/subscriptions", { subscriptions: [{ name: "garden" }] });
    const said = { type: "channel", to: "garden", topic: "roses", content: "They bloom" };
    await api(`${url}/w/made`, "mel", "POST", "/messages", said);
    await pane(page, "Mel Marsh").locator(".place", { hasText: "roses" }).click();
    await write(page, "Mel Marsh", "Indeed");
    await message(page, "Mel Marsh", "Indeed").waitFor();
    await pane(page, "Mel Marsh").locator(".place", { hasText: "lunch" }).click();
    await write(page, "Mel Marsh", "And now lunch");
    await message(page, "Mel Marsh", "And now lunch").waitFor();
    const text = await played(page, binary, async () => {
      await page
        .getByText("1 step is left out, since it acts on what is not in the story: mel writes “Indeed”")
        .waitFor();
    });
    assertOrder(text, ["Left out, since it acts on what is not in the story: mel writes “Indeed”", "And now lunch"]);
    await end(page, url, "made");
  },

  async "need no state for logins and other requests that leave nothing behind"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "logins" });
    const world = `${url}/w/logins`;
    for (const path of ["/dev_fetch_api_key", "/fetch_api_key"])
      await api(world, "mel", "POST", path, { username: "mel@chat.test", password: "mel-password-7421" });
    await api(world, "mel", "POST", "/messages/render", { content: "**Soup**" });
    const page = await open(browser, `${url}/console/w/logins/act`);
    await listening(page);
    await write(page, "Mel Marsh", "Hi");
    await message(page, "Max Mercer", "Hi").waitFor();
    await api(world, "mel", "POST", "/dev_fetch_api_key", { username: "mel@chat.test" });
    await page.getByRole("button", { name: "Export as scenario" }).click();
    await page.locator(".export", { hasText: "content: Hi" }).waitFor();
    assert.doesNotMatch(await page.locator(".export").textContent(), /It began in a world/);
    assert.equal(await page.getByText("not in the story").count(), 0);
    await end(page, url, "logins");
  },

  async "write networks without what they have by themselves, and faults that are removed together once"({
    browser,
    url,
    binary,
  }) {
    const page = await begin(browser, url, "brief");
    await write(page, "Mel Marsh", "Hi");
    await message(page, "Max Mercer", "Hi").waitFor();
    await page.getByText("1 step", { exact: true }).waitFor();
    const profiles = ["offline", "gprs", "edge", "3g", "4g", "wifi", "lossy"];
    for (const profile of profiles) {
      await control(url, "POST", "/worlds/brief/network", { user: "adam", profile });
      await page.getByText("Last: control POST /network").waitFor();
    }
    await control(url, "POST", "/worlds/brief/network", { user: "adam", latency_ms: 20 });
    await page.getByText("9 steps", { exact: true }).waitFor();
    for (const preset of ["Next send fails with 500", "Next send is rate-limited"])
      await arm(page, "Mel Marsh", preset);
    await page.getByText("11 steps", { exact: true }).waitFor();
    await page.waitForTimeout(500);
    await arm(page, "Mel Marsh", "End faults, network and rate limit");
    await page.getByText("13 steps", { exact: true }).waitFor();
    const text = await played(page, binary);
    const said = (rest) => `POST /network {"user":"adam@chat.test",${rest}}\n`;
    assertOrder(text, [
      ...profiles.map((profile) => said(`"profile":"${profile}"${profile === "lossy" ? ',"loss":0' : ""}`)),
      said('"latency_ms":20'),
      "2 faults are removed.",
      "DELETE /faults/fault-1",
      "DELETE /faults/fault-2",
    ]);
    assert.doesNotMatch(text, /A fault is removed/);
    await end(page, url, "brief");
  },

  async "begin the recording again when the server was started again"({ browser, binary }) {
    const first = await serve(binary);
    const page = await open(browser, `${first.url}/console/w/default/act`);
    await listening(page);
    await write(page, "Mel Marsh", "Before the restart");
    await message(page, "Max Mercer", "Before the restart").waitFor();
    await first.stop();
    await page.getByText("reconnecting").or(page.getByText("offline")).or(page.getByText("no reply")).first().waitFor();
    const second = await serve(binary, [], first.port);
    await page.getByText("What was recorded is forgotten: the server was started again").waitFor();
    await listening(page);
    await write(page, "Mel Marsh", "After the restart");
    await message(page, "Max Mercer", "After the restart").waitFor();
    const text = await played(page, binary);
    assert.doesNotMatch(text, /Before the restart/);
    assertOrder(text, ["content: After the restart", '"content":"After the restart"']);
    page.faults.length = 0;
    await page.close();
    await second.stop();
  },

  async "say in the dialog and in the story that it needs the state of its world"({ browser, url, binary }) {
    const page = await begin(browser, url, "middle");
    const fresh = /It began in a world/;
    const note = page.locator("dialog").getByRole("status").filter({ hasText: "The recording began in a world" });
    const exported = async (look) => {
      await page.getByRole("button", { name: "Export as scenario" }).click();
      await page.locator(".export").waitFor();
      await look();
      await page.keyboard.press("Escape");
      await page.locator(".export").waitFor({ state: "detached" });
    };
    // What falls due by itself is in the story as well.
    await page.getByLabel("+1 d: go on").click();
    await write(page, "Mel Marsh", "Before");
    await message(page, "Max Mercer", "Before").waitFor();
    assert.doesNotMatch(await played(page, binary), fresh);
    await exported(async () => assert.equal(await note.count(), 0));
    await page.getByRole("button", { name: "Forget" }).click();
    await page.getByText("recording", { exact: true }).waitFor();
    await message(page, "Max Mercer", "Before")
      .getByLabel(/Act on message/)
      .click();
    await page.getByLabel("React with heart").click();
    await page.getByText("Last: max POST /messages/").waitFor();
    const text = await played(page, binary, async () => {
      await note.getByText("is: POST /messages of mel. The second file has its state.").waitFor();
      const state = page.getByLabel("at the start of the recording");
      assert.ok(await state.isChecked(), "what the story needs is offered");
      await state.uncheck();
      await note.getByText("is: POST /messages of mel. Without").waitFor();
      assert.match(await page.locator(".export").textContent(), /It began in a world .* is: POST \/messages of mel\./);
      await state.check();
    });
    assert.match(text, /It begins in the world as it was then, which is in/);
    await control(url, "POST", "/worlds", { name: "middle-fork", fork_of: "middle" });
    const fork = await open(browser, `${url}/console/w/middle-fork/act`);
    await listening(fork);
    await write(fork, "Mel Marsh", "In the fork");
    await message(fork, "Max Mercer", "In the fork").waitFor();
    await played(fork, binary, async () => {
      const needs = "not as the built-in organization is: 1 message written in the world.";
      await fork.locator("dialog").getByText(needs).waitFor();
    });
    await end(fork, url, "middle-fork");
    await end(page, url, "middle");
  },

  async "tell when a queue ended that had outlasted a jump"({ browser, url, binary }) {
    const page = await begin(browser, url, "outlasted");
    await page.getByLabel("+1 h: go on").click();
    await page.locator(".time-clock", { hasText: "10:00:00" }).waitFor();
    await write(page, "Mel Marsh", "Still there?");
    await message(page, "Max Mercer", "Still there?").waitFor();
    await arm(page, "Max Mercer", "Network offline");
    // The first jump answers the poll that is parked, the second one finds no poll.
    await page.getByLabel("+1 h: go on").click();
    await events(page, "Max Mercer").getByText("no reply").first().waitFor();
    // A jump spares the queue of a poll that was answered just before it.
    await page.waitForTimeout(2_000);
    await page.getByLabel("+1 d: go on").click();
    await page.locator(".time-day", { hasText: "Tue, 6 Jan 2026" }).waitFor();
    await arm(page, "Max Mercer", "End faults, network and rate limit");
    await pane(page, "Max Mercer").getByText("listening, queue 2").waitFor();
    await write(page, "Mel Marsh", "Good morning");
    await message(page, "Max Mercer", "Good morning").last().waitFor();
    const text = await played(page, binary);
    const [, idle] = text.match(/queue max 1\n.*\nidle_queue_timeout: (\d+)/);
    assert.ok(Number(idle) > 3_600 && Number(idle) <= 86_400, "longer than the hour that it outlasted");
    assertOrder(text, [
      "clock +1h",
      'event max 1\n{"type":"message","message":{"id":"{{message2}}"',
      "clock +1d",
      'reply 400\n{"code":"BAD_EVENT_QUEUE_ID"}',
      "queue max 2",
      'event max 2\n{"type":"message","message":{"id":"{{message4}}"',
    ]);
    await end(page, url, "outlasted");
  },

  async "send again at once after a lost reply, and export both sends"({ browser, url, binary }) {
    const page = await begin(browser, url, "twice");
    await arm(page, "Mel Marsh", "Lose the reply to the next send");
    await write(page, "Mel Marsh", "Twice");
    await page.getByText("Last: mel POST /messages, no reply").waitFor();
    await page.getByLabel("Message as Mel Marsh").press("Enter");
    await page.getByText("3 steps").waitFor();
    await message(page, "Max Mercer", "Twice").nth(1).waitFor();
    const text = await played(page, binary);
    assert.equal(text.match(/^content: Twice$/gm).length, 2);
    assert.equal(text.match(/"content":"Twice"/g).length, 2, "both have come");
    assert.equal(text.match(/reply none/g).length, 1);
    await end(page, url, "twice");
  },

  async "export what a fault took for a repetition by the browser"({ browser, url, binary }) {
    await control(url, "POST", "/worlds", { name: "repeated" });
    await control(url, "POST", "/worlds/repeated/faults", {
      match: { user: "max", path: "/messages/flags" },
      times: 1,
      effect: { drop: "before", retries: true },
    });
    const page = await open(browser, `${url}/console/w/repeated/act`);
    await listening(page);
    await write(page, "Mel Marsh", "Read me");
    await message(page, "Max Mercer", "Read me").waitFor();
    const mark = pane(page, "Max Mercer").getByRole("button", { name: /^Mark \d+ read/ });
    await mark.evaluate((button) => {
      button.click();
      setTimeout(() => button.click(), 200);
    });
    await page.getByText("3 steps", { exact: true }).waitFor();
    const text = await played(page, binary);
    assert.equal(text.match(/reply none/g).length, 2);
    assertOrder(text, ['{"drop":"before"}', "reply none", '{"drop":"before"}', "reply none"]);
    await end(page, url, "repeated");
  },

  async "give new names to what comes after a restore, since ids are used again"({ browser, url, binary }) {
    const page = await begin(browser, url, "renamed");
    const remind = async (text) => {
      const one = message(page, "Max Mercer", text);
      await one.getByLabel(/Act on message/).click();
      await one.getByText("Remind in one hour").click();
      await page.getByText("Last: max POST /reminders").waitFor();
    };
    const upload = async (content) => {
      const file = { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from(content) };
      await pane(page, "Mel Marsh").locator("input[type=file]").setInputFiles(file);
      await page.getByText("Last: mel POST /user_uploads").waitFor();
      await page.getByLabel("Message as Mel Marsh").press("Enter");
      await message(page, "Max Mercer", "note.txt").waitFor();
      await page.getByText("Last: mel POST /messages").waitFor();
    };
    await write(page, "Mel Marsh", "Before");
    await message(page, "Max Mercer", "Before").waitFor();
    await remind("Before");
    await snapshot(page, "calm");
    await write(page, "Mel Marsh", "After");
    await message(page, "Max Mercer", "After").waitFor();
    await upload("one");
    // A reminder that is not in the story; the next one has its number.
    const says = { type: "channel", to: "general", topic: "greetings", content: "From my own app" };
    await api(`${url}/w/renamed`, "olive", "POST", "/messages", says);
    await remind("From my own app");
    await world(page).click();
    await page.getByText("Restore calm").click();
    await page.getByText("Back at calm").waitFor();
    await listening(page);
    await message(page, "Max Mercer", "From my own app").waitFor({ state: "detached" });
    await remind("Before");
    await upload("two");
    await page.getByLabel("+1 h: go on").click();
    await pane(page, "Max Mercer").locator(".place", { hasText: "Notification Bot" }).click();
    const reminders = message(page, "Max Mercer", "You requested a reminder");
    await reminders.nth(1).waitFor();
    const reminder = reminders.last();
    await reminder.getByLabel(/Act on message/).click();
    await reminder.getByLabel("React with tada").click();
    await page.getByText("Last: max POST /messages/").waitFor();
    const text = await played(page, binary);
    const [before, after] = text.split("POST /snapshots/calm/restore");
    const names = (part) => [...part.matchAll(/\{\{((?:message|file)\d+) := /g)].map(([, name]) => name);
    assert.deepEqual(names(before), ["message1", "message2", "file1", "message3"]);
    assert.deepEqual(names(after), ["file2", "message4", "message5", "message6", "message7"]);
    assert.doesNotMatch(after, /\{\{(message[23]|file1)\}\}/, "what is gone is not spoken of");
    assertOrder(after, ["message_id: {{message1}}", "clock +1h", "max: POST /messages/{{message7}}/reactions"]);
    const own = "```request\nadam: POST /messages\ntype: direct\nto: [{{adam.user_id}}]\ncontent: One more\n```\n";
    assertPlays(binary, text.replace(/```control\nclock \+1h/, `${own}\n$&`));
    await end(page, url, "renamed");
  },

  async "ask before a recording is lost, and say that it was"({ browser, url }) {
    const page = await begin(browser, url, "asked");
    await snapshot(page, "early");
    await page.getByRole("button", { name: "Forget" }).click();
    await page.getByText("recording", { exact: true }).waitFor();
    await write(page, "Mel Marsh", "To be lost");
    await message(page, "Max Mercer", "To be lost").waitFor();
    await snapshot(page, "late");
    await view(page, "Live");
    await world(page).click();
    assert.equal(await page.getByText("Not in the recording").count(), 1, "the other one is part of it");
    await page.getByText("Restore early").click();
    await page.getByText("2 steps will be lost; export first?").waitFor();
    await page.getByRole("button", { name: "Export as scenario" }).click();
    await page.locator(".export", { hasText: "content: To be lost" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".export").waitFor({ state: "detached" });
    await world(page).click();
    await page.getByText("Reset …").click();
    await page.getByText("2 steps will be lost; export first?").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await world(page).click();
    await page.getByText("Restore early").click();
    await page.getByRole("button", { name: "Restore", exact: true }).click();
    await page.getByText("Back at early").waitFor();
    await message(page, "Max Mercer", "To be lost").waitFor({ state: "detached" });
    await page.getByText("recording", { exact: true }).waitFor();
    await listening(page);
    await write(page, "Mel Marsh", "Gone with the page");
    await page.getByText("1 step", { exact: true }).waitFor();
    let asks = 0;
    page.on("dialog", (dialog) => {
      asks += dialog.type() === "beforeunload" ? 1 : 0;
      return dialog.accept();
    });
    await page.reload();
    assert.equal(asks, 1, "the browser asks before the page is left");
    await page.getByText("The page was loaded again: 1 recorded step is lost").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).last().click();
    await page.getByText("The page was loaded again").waitFor({ state: "detached" });
    await end(page, url, "asked");
  },
};

module.exports = { recorded };
