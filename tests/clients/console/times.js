"use strict";

// What the console does with times: instants that are chosen, messages that are scheduled, events that come late, and
// what passes with the world's clock.

const assert = require("node:assert/strict");
const {
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
} = require("./hands");
const { open } = require("./page");
const { api, control } = require("./program");

const PASSED_MS = 15_000;
const LATE_MS = 5_000;

const dialog = (page) => page.locator("dialog");
const fieldProblem = (page) => dialog(page).getByRole("alert");

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

  async "export a jump to what is due on a running clock so that it plays"({ browser, url, binary }) {
    // A world that begins at a fraction of a second, as with the system's clock.
    await control(url, "POST", "/worlds", { name: "due", clock: "2026-01-05T12:00:00.700Z" });
    await control(url, "POST", "/worlds/due/clock", { running: true });
    const page = await open(browser, `${url}/console/w/due/act`);
    await listening(page);
    await write(page, "Mel Marsh", "Hi");
    await message(page, "Max Mercer", "Hi").waitFor();
    // In the composer, it is a letter.
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("n");
    await page.locator(".toast", { hasText: "fell due" }).waitFor();
    await played(page, binary);
    await end(page, url, "due");
  },

  async "export a stop of the clock apart from the jump after it, so that it plays"({ browser, url, binary }) {
    const stop = async (page) => {
      await page.waitForTimeout(1_200);
      await page.getByLabel("Stop the clock").click();
      await page.getByText("The clock is frozen").waitFor();
    };
    const jump = async (page, name) => {
      await page.getByLabel("+1 h: go on").click();
      await page.getByText("Last: jumped 1 h").waitFor();
      await write(page, "Mel Marsh", name);
      await message(page, "Max Mercer", name).waitFor();
    };
    /** The seconds of the last jump, which a story goes in parts where a queue is made on the way. */
    const jumped = (text) => {
      const [said] = text.split("The clock jumps by 1 h.").at(-1).split("writes");
      const parts = [...said.matchAll(/^clock \+(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/gm)];
      return parts.reduce((sum, [, h = 0, m = 0, s = 0]) => sum + 3_600 * h + 60 * m + Number(s), 0);
    };
    for (const [name, options] of [
      ["stopped-first", {}],
      ["stopped-247", { feature_level: 247 }],
    ]) {
      await control(url, "POST", "/worlds", { name, ...options });
      await control(url, "POST", `/worlds/${name}/clock`, { running: true });
      const page = await open(browser, `${url}/console/w/${name}/act`);
      await listening(page);
      await stop(page);
      assert.equal(await page.getByText("recording", { exact: true }).count(), 1, "the recording begins again");
      await jump(page, "Later");
      const first = await played(page, binary);
      assert.equal(jumped(first), 3_600, first);
      await page.getByLabel("Let the clock run").click();
      await page.getByText("The clock runs with real time").waitFor();
      await stop(page);
      await page.getByText("Last: stopped the clock").waitFor();
      await jump(page, "Much later");
      const then = await played(page, binary);
      assertOrder(then, ["content: Later", "is stopped.", "clock ", "The clock jumps by 1 h.", "Much later"]);
      assert.equal(jumped(then), 3_600, then);
      await end(page, url, name);
    }
    // On a clock that ran from the beginning on, a stop goes on in whole seconds.
    await control(url, "POST", "/worlds", { name: "stopped-then" });
    await control(url, "POST", "/worlds/stopped-then/clock", { running: true });
    const page = await open(browser, `${url}/console/w/stopped-then/act`);
    await listening(page);
    await write(page, "Mel Marsh", "On a running clock");
    await message(page, "Max Mercer", "On a running clock").waitFor();
    await stop(page);
    await jump(page, "Later");
    const text = await played(page, binary);
    assert.match(
      text,
      /is stopped\.\n\n```control\nclock \+\d+s\n```\n\nThe clock jumps by 1 h\.\n(.*\n)*clock \+1h\n/,
    );
    await end(page, url, "stopped-then");
  },

  async "arm a fault like a request, for its method alone"({ browser, url }) {
    const page = await begin(browser, url, "alike");
    await write(page, "Mel Marsh", "Hi");
    await message(page, "Max Mercer", "Hi").waitFor();
    await page.goto(`${url}/console/w/alike/live`);
    await page.locator(".live-row.request", { hasText: "POST" }).filter({ hasText: "/messages" }).first().click();
    await page.getByRole("button", { name: "Arm a fault like this" }).click();
    await page.getByRole("button", { name: "Arm it" }).click();
    await page.locator(".toast", { hasText: "is armed" }).waitFor();
    const { faults } = await control(url, "GET", "/worlds/alike/faults");
    assert.deepEqual(faults[0].match, { user: "mel@chat.test", method: "POST", path: "/messages" });
    await end(page, url, "alike");
  },

  async "copy a refused request as a step that expects its status and code"({ browser, url, binary }) {
    const page = await begin(browser, url, "copied");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await api(`${url}/w/copied`, "mel", "POST", "/messages", { type: "channel", to: "nope", topic: "t", content: "?" });
    await view(page, "Live");
    await page.locator(".live-row.request", { hasText: "POST" }).filter({ hasText: "/messages" }).first().click();
    await page.getByRole("button", { name: "Copy as scenario step" }).click();
    await page.locator(".toast", { hasText: "Scenario step copied" }).waitFor();
    const step = await page.evaluate(() => navigator.clipboard.readText());
    assertOrder(step, [
      "```request\nmel: POST /messages\n",
      "to: nope",
      '```reply 400\n{"code":"STREAM_DOES_NOT_EXIST"}\n```',
    ]);
    assertPlays(binary, `# A refusal\n\n${step}`);
    await end(page, url, "copied");
  },

  async "schedule messages by the world's clock, and export them so that it plays"({ browser, url, binary }) {
    const page = await begin(browser, url, "scheduled", { clock: "2026-03-02T09:30:00Z" });
    await composer(page, "Mel Marsh").fill("Tea is ready");
    await schedule(page, "Mel Marsh");
    assert.equal(await dialog(page).getByLabel("Text").inputValue(), "Tea is ready");
    const options = await dialog(page).getByLabel("When").locator("option").allInnerTexts();
    assert.deepEqual(options, ["in one hour: 10:30", "tomorrow at 9:00: Tue, 3 Mar 2026", "at another time …"]);
    await dialog(page).getByRole("button", { name: "Schedule", exact: true }).click();
    await page.getByText("Scheduled for Mon, 2 Mar 2026, 10:30:00").waitFor();
    assert.equal(await composer(page, "Mel Marsh").inputValue(), "", "the draft is gone");
    await events(page, "Mel Marsh").getByText("scheduled_messages add").waitFor();
    // Refusals are at the field that they are about.
    await composer(page, "Max Mercer").fill("Too late");
    await schedule(page, "Max Mercer");
    await dialog(page).getByLabel("When").selectOption("other");
    const submit = () => dialog(page).getByRole("button", { name: "Schedule", exact: true }).click();
    await dialog(page).getByLabel("Day and time").fill("2026-03-01T08:00");
    await submit();
    await assertRefused(page, "at", "Scheduled delivery time must be in the future.");
    await dialog(page).getByLabel("Text").fill("   ");
    await dialog(page).getByLabel("Day and time").fill("2026-03-04T08:00");
    await submit();
    await assertRefused(page, "content", "Message must not be empty");
    await dialog(page).getByLabel("Text").fill("On Wednesday");
    await submit();
    await page.getByText("Scheduled for Wed, 4 Mar 2026, 08:00:00").waitFor();
    assert.equal(await composer(page, "Max Mercer").inputValue(), "", "what was changed in the dialog was the draft");
    await composer(page, "Max Mercer").fill("Good morning from Max");
    await schedule(page, "Max Mercer");
    await dialog(page).getByLabel("When").selectOption("morning");
    await submit();
    await page.getByText("Scheduled for Tue, 3 Mar 2026, 09:00:00").waitFor();
    await page.getByRole("button", { name: /^Agenda/ }).click();
    for (const due of ["Mon, 2 Mar 2026, 10:30:00", "Tue, 3 Mar 2026, 09:00:00", "Wed, 4 Mar 2026, 08:00:00"])
      await dialog(page).locator(".agenda li", { hasText: due }).filter({ hasText: "scheduled message" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("+1 h: go on").click();
    await message(page, "Max Mercer", "Tea is ready").waitFor();
    await page.getByLabel("+1 d: go on").click();
    await message(page, "Mel Marsh", "Good morning from Max").waitFor();
    const text = await played(page, binary);
    assertOrder(text, [
      "mel schedules “Tea is ready” in #",
      "mel: POST /scheduled_messages\ntype: channel\nto: {{channel ",
      "content: Tea is ready\nscheduled_delivery_timestamp: {{now +1h}}",
      "scheduled_delivery_timestamp: {{now -1d1h30m}}",
      'reply 400\n{"code":"BAD_REQUEST","msg":"Scheduled delivery time must be in the future."}',
      'reply 400\n{"code":"BAD_REQUEST","msg":"Message must not be empty"}',
      "scheduled_delivery_timestamp: {{now +1d22h30m}}",
      "scheduled_delivery_timestamp: {{now +23h30m}}",
      "clock +1h",
      '"content":"Tea is ready"',
      "clock +1d",
      '"content":"Good morning from Max"',
    ]);
    assert.doesNotMatch(text, /\b17\d{8}\b/, "no instant of the recording");
    await end(page, url, "scheduled");
  },

  async "export what fell due at a world that began at a fraction of a second, so that it plays"({
    browser,
    url,
    binary,
  }) {
    const clock = "2026-01-05T12:00:05.974155Z";
    for (const options of [{}, { dialect: "zulip" }, { feature_level: 247 }, { running: true }]) {
      const { running, ...made } = options;
      await control(url, "POST", "/worlds", { name: "fraction", clock, ...made });
      if (running) await control(url, "POST", "/worlds/fraction/clock", { running });
      const page = await open(browser, `${url}/console/w/fraction/act`);
      await listening(page);
      await schedule(page, "Mel Marsh");
      await dialog(page).getByLabel("Text").fill("In one hour");
      await dialog(page).getByRole("button", { name: "Schedule", exact: true }).click();
      await page.getByText("Scheduled for ").waitFor();
      await page.getByLabel("+1 h: go on").click();
      await message(page, "Mel Marsh", "In one hour").waitFor();
      const text = await played(page, binary);
      assertOrder(text, [`clock: ${clock}`, "{{now +1h", "clock +", '"content":"In one hour"']);
      await end(page, url, "fraction");
    }
  },

  async "name what came by a jump, so that a story with an additional message acts on the same"({
    browser,
    url,
    binary,
  }) {
    const page = await begin(browser, url, "by-jump");
    await schedule(page, "Mel Marsh");
    await dialog(page).getByLabel("Text").fill("Came by time");
    await dialog(page).getByRole("button", { name: "Schedule", exact: true }).click();
    await page.getByText("Scheduled for ").waitFor();
    await page.getByLabel("+1 h: go on").click();
    const came = message(page, "Max Mercer", "Came by time");
    await came.getByLabel(/Act on message/).click();
    await came.getByLabel("React with heart").click();
    await page.getByText("Last: max POST /messages/").waitFor();
    await pane(page, "Max Mercer")
      .getByRole("button", { name: /^Mark \d+ read/ })
      .click();
    await page.getByText("Last: max POST /messages/flags").waitFor();
    // The reminder of Mel, which came as well, is a direct message.
    await pane(page, "Mel Marsh").locator(".place", { hasText: "Notification Bot" }).click();
    const reminder = message(page, "Mel Marsh", "You requested a reminder").last();
    await reminder.getByLabel(/Act on message/).click();
    await reminder.getByLabel("React with tada").click();
    await page.getByText("Last: mel POST /messages/").waitFor();
    const text = await played(page, binary);
    assert.doesNotMatch(text, /\/messages\/\d/);
    assert.doesNotMatch(text, /^messages: \[(.*, )?\d/m);
    const nameOf = (sender) => text.match(`"{{(message\\d) := int}}","sender_full_name":"${sender}"`)[1];
    const [came1, reminder1] = ["Mel Marsh", "Notification Bot"].map(nameOf);
    assertOrder(text, [
      `max: POST /messages/{{${came1}}}/reactions`,
      `"message_id":"{{${came1}}}"`,
      `messages: [{{${came1}}}]`,
      `mel: POST /messages/{{${reminder1}}}/reactions`,
    ]);
    const own = "```request\nmel: POST /messages\ntype: direct\nto: [{{mel.user_id}}]\ncontent: One more\n```\n";
    assertPlays(binary, text.replace("```request\nmel: POST /scheduled", `${own}\n$&`));
    await end(page, url, "by-jump");
  },

  async "export jumps to what is due at fractions of a second on a frozen clock"({ browser, url, binary }) {
    const page = await begin(browser, url, "instants", { clock: "2026-01-05T12:00:05.974155Z" });
    await schedule(page, "Mel Marsh");
    await dialog(page).getByLabel("Text").fill("Just before the reminder");
    await dialog(page).getByRole("button", { name: "Schedule", exact: true }).click();
    await page.getByText("Scheduled for ").waitFor();
    await page.getByRole("button", { name: /next: scheduled message/ }).click();
    await message(page, "Mel Marsh", "Just before the reminder").waitFor();
    await page.getByRole("button", { name: /next: reminder/ }).click();
    await page.getByText("3 steps", { exact: true }).waitFor();
    const text = await played(page, binary);
    assertOrder(text, [
      "clock 2026-01-05T13:00:05Z",
      '"content":"Just before the reminder"',
      "clock 2026-01-05T13:00:05.974155Z",
      '"type":"message"',
    ]);
    await end(page, url, "instants");
  },

  async "schedule a direct message at an older level, and nothing before there was such a thing"({ browser, url }) {
    let page = await begin(browser, url, "later-200", { feature_level: 200 });
    await pane(page, "Mel Marsh").getByRole("button", { name: "New conversation" }).click();
    await page.getByLabel("or direct, to").selectOption([{ label: "Max Mercer" }]);
    await page.getByLabel("Message", { exact: true }).fill("Only for you");
    await dialog(page).getByRole("button", { name: "Send" }).click();
    await message(page, "Mel Marsh", "Only for you").waitFor();
    await schedule(page, "Mel Marsh");
    await dialog(page).getByLabel("Text").fill("And this later");
    await dialog(page).getByRole("button", { name: "Schedule", exact: true }).click();
    await page.getByText("Scheduled for ").waitFor();
    await page.getByLabel("+1 h: go on").click();
    await message(page, "Mel Marsh", "And this later").waitFor();
    await end(page, url, "later-200");
    page = await begin(browser, url, "later-150", { feature_level: 150 });
    assert.equal(await page.getByLabel("Schedule a message").count(), 0);
    await end(page, url, "later-150");
  },

  async "say what a restore and a reset do to a running clock"({ browser, url }) {
    const page = await begin(browser, url, "distance");
    const says = dialog(page).getByText(
      "it keeps its distance to real time, and what fell due since then happens at once",
    );
    const looked = async (item, count) => {
      await page.getByLabel("World: snapshots, fork, reset").click();
      await page.getByText(item).click();
      await dialog(page).waitFor();
      assert.equal(await says.count(), count, item);
    };
    const left = async () => {
      await page.keyboard.press("Escape");
      await dialog(page).waitFor({ state: "detached" });
    };
    for (const item of ["Take a snapshot …", "Reset …"]) {
      await looked(item, 0);
      await left();
    }
    await page.getByLabel("Let the clock run").click();
    await page.getByLabel("Stop the clock").waitFor();
    await looked("Reset …", 1);
    await left();
    await looked("Take a snapshot …", 1);
    await page.getByRole("button", { name: "Take it" }).click();
    await page.getByText("Snapshot snapshot-1 taken").waitFor();
    await page.getByRole("button", { name: "Forget" }).click();
    await page.getByText("recording", { exact: true }).waitFor();
    await write(page, "Mel Marsh", "Hi");
    await page.getByText("1 step", { exact: true }).waitFor();
    await looked("Restore snapshot-1", 1);
    await page.getByRole("button", { name: "Restore", exact: true }).click();
    await page.getByText("Back at snapshot-1; event queues ended, and the clock runs on").waitFor();
    await end(page, url, "distance");
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
