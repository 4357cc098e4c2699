"use strict";

// Queues that end while the console records: in a jump of the clock, offline or online, or by a fault. The story has each
// end once, and no fault that nobody armed.

const assert = require("node:assert/strict");
const { arm, assertOrder, begin, composer, end, events, listening, message, pane, played, write } = require("./hands");
const { control } = require("./program");

/** A jump spares the queue of a poll that was answered less than this before it. */
const SPARED_MS = 2_000;
const LOST = 'reply 400\n{"code":"BAD_EVENT_QUEUE_ID"}';

async function jump(page, label, shown) {
  await page.getByLabel(`${label}: go on`).click();
  await page.locator(".time", { hasText: shown }).waitFor();
}

/** Follows the polls of somebody's client: `next` waits for one that is sent after it was called; `hold` keeps them back. */
async function pollsOf(page, user) {
  const credentials = Buffer.from(user.slice(0, 9)).toString("base64");
  let holding = null;
  let waiting = [];
  await page.route(
    (url) => url.pathname.endsWith("/events"),
    async (route) => {
      if (route.request().headers().authorization?.includes(credentials)) {
        for (const done of waiting.splice(0)) done();
        await holding;
      }
      // The page may have been closed meanwhile.
      await route.continue().catch(() => {});
    },
  );
  return {
    next: () => new Promise((done) => waiting.push(done)),
    hold() {
      let release;
      holding = new Promise((done) => {
        release = () => {
          holding = null;
          done();
        };
      });
      return release;
    },
  };
}

/** Jumps an hour, which answers the polls that wait, and returns when the next one of Max's client waits. */
async function hourOnline(page, polls, world) {
  const next = polls.next();
  await jump(page, "+1 h", "10:00:00");
  await next;
  for (;;) {
    const { queues: listed } = await control(world.url, "GET", `/worlds/${world.name}/queues`);
    if (listed.some((queue) => queue.user === "max@chat.test" && queue.parked)) return;
    await page.waitForTimeout(20);
  }
}

/** Lets Mel type, which answers Max's poll, and keeps the next one back. */
async function heldAtNext(page, polls) {
  const release = polls.hold();
  const next = polls.next();
  await composer(page, "Mel Marsh").fill("Good ni");
  await next;
  return release;
}

/** Asserts that a story has one end of Max's queue, a new queue after it, and as many faults as were armed. */
function assertOneEnd(text, armed = 0) {
  assert.equal(text.match(/^POST \/faults/gm)?.length ?? 0, armed, text);
  assert.equal(text.match(/BAD_EVENT_QUEUE_ID/g)?.length, 1, text);
  assert.equal(text.match(/^```queue max \d$/gm)?.length, 2, text);
}

/** Lets an hour pass online and two offline, with a poll that waits or that is held back, and exports what became of it. */
async function away({ browser, url, binary }, name, { isParked }) {
  const page = await begin(browser, url, name);
  const polls = await pollsOf(page, "max@chat.test");
  await hourOnline(page, polls, { url, name });
  const release = isParked ? null : await heldAtNext(page, polls);
  await arm(page, "Max Mercer", "Network offline");
  await page.getByText("Last: control POST /network").waitFor();
  await jump(page, "+1 h", "11:00:00");
  if (isParked) await events(page, "Max Mercer").getByText("no reply").first().waitFor();
  await jump(page, "+1 h", "12:00:00");
  await write(page, "Mel Marsh", "Hello?");
  await message(page, "Mel Marsh", "Hello?").waitFor();
  await arm(page, "Max Mercer", "End faults, network and rate limit");
  await page.getByText("Last: control DELETE /network").waitFor();
  release?.();
  await pane(page, "Max Mercer").getByText("listening, queue 2").waitFor();
  await write(page, "Mel Marsh", "Back?");
  await message(page, "Max Mercer", "Back?").waitFor();
  const text = await played(page, binary);
  assertOneEnd(text);
  assertOrder(text, [
    "clock +1h",
    'POST /network {"profile":"offline"',
    "clock +1h",
    "clock +1h",
    "content: Hello?",
    "DELETE /network?user=max",
    LOST,
    "queue max 2",
    'event max 2\n{"type":"message"',
  ]);
  await end(page, url, name);
}

const queues = {
  async "export a queue's end whose news was lost on the way, so that it plays"(given) {
    await away(given, "news-lost", { isParked: true });
  },

  async "export a queue's end that was found out when the network was back, so that it plays"(given) {
    await away(given, "news-late", { isParked: false });
  },

  async "export a queue's end in a long jump while online, so that it plays"({ browser, url, binary }) {
    const page = await begin(browser, url, "long");
    const polls = await pollsOf(page, "max@chat.test");
    await hourOnline(page, polls, { url, name: "long" });
    const release = await heldAtNext(page, polls);
    await page.waitForTimeout(SPARED_MS);
    await jump(page, "+1 d", "Tue, 6 Jan 2026");
    release();
    await pane(page, "Max Mercer").getByText("listening, queue 2").waitFor();
    await write(page, "Mel Marsh", "Back?");
    await message(page, "Max Mercer", "Back?").waitFor();
    const text = await played(page, binary);
    assertOneEnd(text);
    assertOrder(text, ["clock +1h", "clock +1d", LOST, "queue max 2", 'event max 2\n{"type":"message"']);
    await end(page, url, "long");
  },

  async "expect an event whose poll was answered before its request, though the queue ended next"(given) {
    const { browser, url, binary } = given;
    const page = await begin(browser, url, "early");
    // The frame of Mel's request, with those after it, comes after that of Max's poll.
    await page.routeWebSocket(/\/watch/, (socket) => {
      let late = [];
      socket.connectToServer().onMessage((text) => {
        const { type, method, path, user } = JSON.parse(text);
        const isSend = type === "request" && method === "POST" && path === "/messages";
        const isPoll = type === "request" && path === "/events" && user === "max@chat.test";
        if (isSend || (late.length && !isPoll)) late.push(text);
        else socket.send(text);
        if (!isPoll) return;
        for (const one of late) socket.send(one);
        late = [];
      });
    });
    await page.reload();
    await listening(page);
    await composer(page, "Mel Marsh").fill("Still there?");
    await events(page, "Max Mercer").getByText("typing start").waitFor();
    await composer(page, "Mel Marsh").press("Enter");
    await message(page, "Max Mercer", "Still there?").waitFor();
    await page.getByText("Last: mel POST /messages").waitFor();
    await arm(page, "Max Mercer", "Network offline");
    await page.getByText("Last: control POST /network").waitFor();
    await jump(page, "+1 h", "10:00:00");
    await arm(page, "Max Mercer", "End faults, network and rate limit");
    await pane(page, "Max Mercer").getByText("listening, queue 2").waitFor();
    const text = await played(page, binary);
    assertOrder(text, ["content: Still there?", 'event max 1\n{"type":"message"', LOST, "queue max 2"]);
    await end(page, url, "early");
  },

  async "export what a client missed before it found out that a fault lost its queue"({ browser, url, binary }) {
    const page = await begin(browser, url, "gap");
    const polls = await pollsOf(page, "max@chat.test");
    await arm(page, "Max Mercer", "Next poll loses its queue");
    // The first event answers the poll that waits; the next poll loses the queue, after the message.
    const next = polls.next();
    const release = polls.hold();
    await composer(page, "Mel Marsh").fill("In the gap");
    await next;
    await composer(page, "Mel Marsh").press("Enter");
    await page.getByText("Last: mel POST /messages").waitFor();
    release();
    await pane(page, "Max Mercer").getByText("listening, queue 2").waitFor();
    await message(page, "Max Mercer", "In the gap").waitFor();
    await write(page, "Mel Marsh", "After it");
    await message(page, "Max Mercer", "After it").waitFor();
    const text = await played(page, binary);
    assertOneEnd(text, 1);
    assertOrder(text, ["content: In the gap", LOST, "queue max 2", "content: After it", "event max 2"]);
    assert.equal(text.match(/event max/g).length, 1, text);
    await end(page, url, "gap");
  },

  async "export a queue that a fault lost once, and a queue that ended under a fault"({ browser, url, binary }) {
    const page = await begin(browser, url, "armed");
    await arm(page, "Max Mercer", "Next poll loses its queue");
    await write(page, "Mel Marsh", "Are you there?");
    await pane(page, "Max Mercer").getByText("listening, queue 2").waitFor();
    const text = await played(page, binary);
    assertOneEnd(text, 1);
    assertOrder(text, ['"effect":{"lose_queue":true}', LOST, "queue max 2"]);
    await page.getByRole("button", { name: "Forget" }).click();
    await page.getByText("recording", { exact: true }).waitFor();
    // A fault that meets the poll by which the client finds out did not end the queue.
    await arm(page, "Max Mercer", "Events arrive 5 s late");
    await page.getByText("1 step", { exact: true }).waitFor();
    const { queues: listed } = await control(url, "GET", "/worlds/armed/queues");
    const { queue_id: id } = listed.find((queue) => queue.user === "max@chat.test");
    await write(page, "Mel Marsh", "Slowly");
    await message(page, "Max Mercer", "Slowly").waitFor({ timeout: 4 * 5_000 });
    await control(url, "DELETE", `/worlds/armed/queues/${id}`);
    await pane(page, "Max Mercer")
      .getByText("listening, queue 3")
      .waitFor({ timeout: 4 * 5_000 });
    const slow = await played(page, binary);
    assert.equal(slow.match(/BAD_EVENT_QUEUE_ID/g)?.length, 1, slow);
    await end(page, url, "armed");
  },
};

module.exports = { queues };
