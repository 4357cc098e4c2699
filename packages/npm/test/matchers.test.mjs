// Tests the matchers against a running server. CHATDOUBLE_BINARY names the program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { ChatdoubleError, startServer } from "chatdouble";
import { toHaveEvent, toHaveNoFindings, toHavePushed, toHaveReceived } from "../dist/esm/testing.js";

let server;

before(async () => {
  server = await startServer({ clock: "frozen" });
});
after(() => server.stop());

async function api(world, user, path, form) {
  const authorization = `Basic ${Buffer.from(`${user.email}:${user.apiKey}`).toString("base64")}`;
  const init = { method: "POST", headers: { authorization }, body: new URLSearchParams(form) };
  const reply = await (await fetch(`${world.url}/api/v1${path}`, init)).json();
  assert.equal(reply.result, "success", reply.msg);
}

const send = (world, user, content) =>
  api(world, user, "/messages", { type: "stream", to: "general", topic: "t", content });

test("an event of an awaited request is there without a timeout", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const [recorder, other] = [await world.recordEvents(), await world.recordEvents()];
  for (let round = 0; round < 100; round++) {
    await send(world, mel, `round ${round}`);
    const pattern = { type: "message", message: { content: `round ${round}` } };
    const { pass, message } = await toHaveEvent.call({ isNot: round % 2 === 1 }, recorder, pattern);
    assert.ok(pass, `round ${round}: ${message()}`);
    await send(world, mel, `again ${round}`);
    const again = { type: "message", message: { content: `again ${round}` } };
    assert.ok((await toHaveEvent.call({}, other, again)).pass, `round ${round}, the other recorder`);
  }
  await world.delete();
  assert.ok((await toHaveEvent.call({}, recorder, { type: "message" })).pass, "of a world that is gone");
});

test("recorders of several objects for one world do not count each other's frames", async () => {
  const world = await server.createWorld();
  const other = server.world(world.name);
  const mel = await world.user("mel");
  const [recorder, second] = [await world.recordEvents(), await other.recordEvents()];
  for (let round = 0; round < 50; round++) await recorder.catchUp();
  for (let round = 0; round < 100; round++) {
    await send(world, mel, `round ${round}`);
    const pattern = { type: "message", message: { content: `round ${round}` } };
    assert.ok((await toHaveEvent.call({}, second, pattern)).pass, `round ${round}`);
    await Promise.all([recorder.catchUp(), second.catchUp()]);
  }
  await world.delete();
});

test("catching up leaves the clock and the report as they are", async () => {
  for (const clock of ["2026-01-01T12:00:00Z", "real"]) {
    const world = await server.createWorld({ clock });
    const began = await world.clock.state();
    const recorder = await world.recordEvents();
    const took = performance.now();
    await toHaveEvent.call({ isNot: true }, recorder, { type: "message" });
    assert.ok(performance.now() - took < 900, `${clock}: it waited for the whole second`);
    const now = await world.clock.state();
    assert.equal(now.running, began.running);
    if (clock !== "real") assert.equal(now.now, began.now);
    assert.deepEqual((await world.report()).clients, []);
    await world.delete();
  }
});

test("a matcher refuses what it does not take", async () => {
  const world = await server.createWorld();
  const recorder = await world.recordEvents();
  for (const [matcher, given, said] of [
    [toHaveEvent, world, "toHaveEvent takes what world.recordEvents() returns, not a world"],
    [
      toHaveEvent,
      Promise.resolve(1),
      "toHaveEvent takes what world.recordEvents() returns, not a promise: await it first",
    ],
    [toHaveReceived, 3, "toHaveReceived takes a world, not 3"],
    [toHavePushed, recorder, "toHavePushed takes a world, not a recorder of events"],
    [toHaveNoFindings, null, "toHaveNoFindings takes a world, not null"],
    [toHaveNoFindings, { name: "x" }, "toHaveNoFindings takes a world, not an object of Object"],
  ])
    await assert.rejects(matcher.call({}, given, {}), (error) => {
      assert.ok(error instanceof ChatdoubleError);
      assert.equal(error.message, said);
      return true;
    });
  await world.delete();
});

test("a world of the module that require loads is taken", async () => {
  const { connect } = createRequire(import.meta.url)("chatdouble");
  const connected = connect(server.url);
  const world = await connected.createWorld();
  const recorder = await world.recordEvents();
  assert.ok((await toHaveReceived.call({}, world, { exactly: 0 })).pass);
  assert.equal((await toHaveReceived.call({}, world, { exactly: 1 })).pass, false);
  assert.equal((await toHaveEvent.call({}, recorder, { type: "message" })).pass, false);
  await world.delete();
  await connected.stop();
});

test("a missing push is explained", async () => {
  const world = await server.createWorld();
  const max = await world.user("max");
  const none = (await toHavePushed.call({}, world, { user: "mel" })).message();
  assert.match(none, /There were no pushes$/);
  await send(world, max, "Hello, @**Mel Marsh**!");
  assert.ok((await toHavePushed.call({}, world, { user: "mel" })).pass);
  const { pass, message } = await toHavePushed.call({}, world, { user: "max" });
  assert.equal(pass, false);
  assert.match(
    message(),
    /pushed 0 times .* at least 1 expected\nThe last pushes:\n {2}message to mel@chat\.test, device 1: Hello/s,
  );
  assert.match(message(), /max has no device that receives pushes$/);
  assert.equal((await toHavePushed.call({}, world, { user: "dana" })).pass, false);
  await api(world, max, "/users/me/android_gcm_reg_id", { token: "0123abcd" });
  assert.doesNotMatch((await toHavePushed.call({}, world, { user: "max" })).message(), /no device/);
  const tooMany = await toHavePushed.call({ isNot: true }, world, { user: "mel" });
  assert.match(tooMany.message(), /less than 1 expected\nThe last pushes:/);
  await world.delete();
});

test("a missing event is explained by the nearest one", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const recorder = await world.recordEvents();
  await send(world, mel, "Hello");
  const wanted = { type: "message", message: { content: "Helo", sender_email: mel.email } };
  const { pass, message } = await toHaveEvent.call({}, recorder, wanted);
  assert.equal(pass, false);
  assert.match(
    message(),
    /Differences from the nearest event:\n- message\.content: "Helo"\n\+ message\.content: "Hello"\n/,
  );
  assert.doesNotMatch(message(), /sender_email: /);
  const other = await toHaveEvent.call({}, recorder, { type: "reaction" });
  assert.doesNotMatch(other.message(), /nearest/);
  await world.delete();
});

test("unknown rules and severities are refused with the nearest", async () => {
  const world = await server.createWorld();
  await assert.rejects(
    toHaveNoFindings(world, { except: ["register-everythin"] }),
    /there is no rule 'register-everythin'; the nearest is 'register-everything'/,
  );
  await assert.rejects(
    toHaveNoFindings(world, { severity: "warn" }),
    /there is no severity 'warn'; the nearest is 'warning'/,
  );
  await world.delete();
});

test("the rules are those of the program", async () => {
  const { RULES, SEVERITIES } = await import("../dist/esm/rules.js");
  const listed = JSON.parse(execFileSync(process.env.CHATDOUBLE_BINARY, ["rules", "--json"], { encoding: "utf8" }));
  assert.deepEqual(
    [...RULES],
    listed.map((rule) => rule.name),
  );
  for (const { severity } of listed) assert.ok(SEVERITIES.includes(severity), severity);
});
