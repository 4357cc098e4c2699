// Tests the helpers against a running server. CHATDOUBLE_BINARY names the program.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ChatdoubleError, Server, connect, startServer } from "chatdouble";
import { BUILT_IN } from "../dist/esm/files.js";
import { checkFixtures } from "../dist/esm/keys.js";
import { requestLine } from "../dist/esm/line.js";
import { end, toHaveNoFindings, toHavePushed, toHaveReceived, worldFor } from "../dist/esm/testing.js";
import { checkVitest } from "../dist/esm/vitest-version.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
let server;

before(async () => {
  server = await startServer({ clock: "2026-01-01T12:00:00Z" });
});
after(() => server.stop());

async function api(world, user, method, path, form = {}) {
  const authorization = `Basic ${Buffer.from(`${user.email}:${user.apiKey}`).toString("base64")}`;
  const body = new URLSearchParams(form);
  const query = method === "GET" && String(body) ? `?${body}` : "";
  const init = { method, headers: { authorization }, ...(method === "GET" ? {} : { body }) };
  return (await fetch(`${world.url}/api/v1${path}${query}`, init)).json();
}

const send = (world, user, content) =>
  api(world, user, "POST", "/messages", { type: "stream", to: "general", topic: "t", content });

test("worlds are made, listed, forked, reset and deleted", async () => {
  const world = await server.createWorld({ name: "blue", label: "a test", idleTtlSeconds: "10m" });
  assert.equal(world.url, `${server.url}/w/blue`);
  const [row] = await server.worlds({ prefix: "bl" });
  assert.deepEqual([row.label, row.idleTtlSeconds, typeof row.createdAt], ["a test", 600, "number"]);

  const mel = await world.user("mel");
  assert.deepEqual(mel, { id: mel.id, email: "mel@chat.test", apiKey: "melKey00000000000000000000000000" });
  await send(world, mel, "only here");
  const fork = await world.fork({ label: "a copy" });
  const messages = async (of) => (await server.worlds({ prefix: of.name }))[0].messages;
  assert.equal(await messages(fork), await messages(world));
  await world.reset();
  assert.equal(await messages(fork), (await messages(world)) + 1);

  assert.deepEqual(await server.deleteWorlds({ prefix: "blue" }), ["blue"]);
  await fork.delete();
  await assert.rejects(
    fork.delete(),
    (error) => error instanceof ChatdoubleError && error.status === 404 && error.code === "NONEXISTENT_SUBDOMAIN",
  );
  assert.deepEqual(
    (await server.worlds()).map((one) => one.name),
    ["default"],
  );
});

test("the report says what clients did", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  await api(world, mel, "GET", "/users/me");
  assert.equal((await toHaveNoFindings(world)).pass, true);
  await api(world, mel, "GET", "/users/me", { colour: "red" });

  const { clients, complete } = await world.report();
  const [finding] = clients.flatMap((client) => client.findings);
  assert.equal(complete, true);
  assert.deepEqual(
    [finding.rule, finding.severity, finding.count, finding.first.journalId],
    ["ignored-parameter", "warning", 1, 2],
  );
  const { pass, message } = await toHaveNoFindings(world);
  assert.equal(pass, false);
  assert.match(message(), /warning ignored-parameter: .*colour of GET \/users\/me, 1 time by .*\(mel@chat.test\)/);
  assert.equal((await toHaveNoFindings(world, { severity: "error" })).pass, true);
  assert.equal((await toHaveNoFindings(world, { except: ["ignored-parameter"] })).pass, true);
  await world.reset({ keep: ["report"] });
  assert.equal((await toHaveNoFindings(world)).pass, false);
  await world.clearReport();
  assert.deepEqual((await world.report()).clients, []);
  await world.delete();
});

test("users are found by handle and address, and unknown users are refused", async () => {
  const world = server.world();
  assert.equal((await world.user("build-bot")).email, "build-bot@chat.test");
  assert.equal((await world.user("gus@chat.test")).id, (await world.user("gus")).id);
  const own = await server.createWorld();
  for (const [unknown, nearest] of [
    ["mell", "mel"],
    ["mell@chat.test", "mel@chat.test"],
    ["", null],
    ["größe & co", null],
  ])
    await assert.rejects(own.user(unknown), (error) => {
      assert.ok(error instanceof ChatdoubleError && error.status === 400);
      assert.ok(error.message.includes(`there is no user '${unknown}' in this world`), error.message);
      assert.ok(nearest === null || error.message.includes(`the nearest is '${nearest}'`), error.message);
      assert.match(error.message, /\nThe active users of world-\d+: .*adam, /);
      return true;
    });
  await assert.rejects(own.user("dana"), (error) => {
    assert.deepEqual([error.status, error.code], [403, "USER_DEACTIVATED"]);
    return /dana@chat\.test is deactivated/.test(error.message);
  });
  // The helper's own requests are not the test's.
  assert.deepEqual(await own.journal.entries(), []);
  await own.delete();
  const many = Array.from({ length: 40 }, (_, number) => ({ handle: `user${number}`, full_name: "U" }));
  const owner = { handle: "olive", full_name: "Olive", role: "owner" };
  const large = await server.createWorld({ fixture: { users: [owner, ...many] } });
  await assert.rejects(large.user("nobody"), / and \d+ more$/);
  await large.delete();
});

test("a world with its own port gives credentials", async () => {
  const world = await server.createWorld({ listen: true });
  assert.ok(!world.url.startsWith(server.url));
  assert.equal((await send(world, await world.user("mel"), "Hello")).result, "success");
  await world.delete();
});

test("the clock moves, and lists what fell due", async () => {
  const world = await server.createWorld();
  const began = await world.clock.now();
  assert.equal(began, Date.parse("2026-01-01T12:00:00Z") / 1000);
  const next = await world.clock.toNext();
  assert.deepEqual([next.now, next.fired.length, next.fired[0].reminderId], [began + 3600, 1, 1]);
  const moved = await world.clock.advance("1d2h", { waitForClientsMs: 0 });
  assert.equal(moved.now, began + 3600 + 93600);
  assert.deepEqual([moved.waitedMs, moved.notParked], [0, []]);
  assert.equal(
    (await world.clock.set(new Date("2026-01-05T00:00:00Z"))).now,
    Date.parse("2026-01-05T00:00:00Z") / 1000,
  );
  assert.equal((await world.clock.run()).running, true);
  assert.equal((await world.clock.freeze()).running, false);
  await assert.rejects(world.clock.set("2020-01-01T00:00:00Z"), /can't go back/);
  for (const by of [NaN, Infinity])
    await assert.rejects(async () => world.clock.advance(by), {
      message: `clock.advance takes seconds, or a span such as "1d2h", not ${by}`,
    });
  const takes = "clock.set takes a Date, RFC 3339 text or Unix seconds, not";
  await assert.rejects(world.clock.set(NaN), { message: `${takes} NaN` });
  await assert.rejects(world.clock.set(new Date("tomorrow")), { message: `${takes} an invalid Date` });
  await assert.rejects(
    world.clock.set(Date.parse("2026-02-01T00:00:00Z")),
    /100 years at most; a number is Unix seconds, not milliseconds: give a Date, or Date\.now\(\) \/ 1000$/,
  );
  await world.delete();
});

test("faults are installed, counted and removed; keys of errors stay as they are", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const fault = await world.faults.add({
    match: { method: "POST", path: "/messages", params: { topic: "t" } },
    times: 1,
    effect: { error: { status: 503, code: "BUSY", msg: "Later", retry_at: 5 } },
  });
  assert.equal((await send(world, mel, "x")).retry_at, 5);
  const [listed] = await world.faults.list();
  assert.deepEqual([listed.id, listed.fired, listed.effect.error.retry_at], [fault.id, 1, 5]);
  await fault.remove();
  assert.deepEqual(await world.faults.list(), []);
  await world.faults.add({ effect: { rateLimit: { retryAfter: 3 } } });
  assert.equal((await send(world, mel, "x"))["retry-after"], 3);
  await world.faults.clear();
  assert.equal((await send(world, mel, "x")).result, "success");
  await world.delete();
});

test("an error with a status alone", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const fault = await world.faults.add({ times: 1, effect: { error: { status: 503 } } });
  const { result, code, msg } = await send(world, mel, "x");
  assert.ok(result === "error" && code.length > 0 && msg.length > 0, `${result} ${code} ${msg}`);
  assert.equal(await fault.waitFired(), 1);
  await world.delete();
});

test("a fault is waited for, and a request without a reply is shown as one", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const fault = await world.faults.add({ match: { path: "/messages" }, effect: { drop: "after" } });
  await assert.rejects(fault.waitFired({ timeoutMs: 1 }), { code: "VERIFICATION_FAILED", status: 408 });
  await assert.rejects(fault.waitFired({ time: 2 }), /waitFired has no option 'time'; did you mean 'times'\?/);
  const waiting = fault.waitFired({ times: 2 });
  for (let round = 0; round < 2; round++) await assert.rejects(send(world, mel, "x"));
  assert.ok((await waiting) >= 2);
  const [entry] = await world.journal.entries({ fault: fault.id });
  assert.match(requestLine(entry), /^no reply POST \/messages mel@chat\.test /);
  await fault.remove();
  assert.deepEqual(await world.faults.list(), []);
  await world.delete();
});

test("a failed test says that no request reached its world, unless a refused call ended it", async () => {
  const printed = async (failures) => {
    const texts = [];
    await end(await server.createWorld(), failures, (text) => texts.push(text));
    return texts.join("\n");
  };
  const refused = { name: "ChatdoubleError", code: "BAD_REQUEST" };
  assert.match(await printed([{ name: "AssertionError" }]), /^No request reached world-.* X-Chatdouble-Hint$/);
  assert.match(await printed([{ ...refused, code: "VERIFICATION_FAILED" }]), /^No request reached world-/);
  for (const failures of [[refused], [new ChatdoubleError("no")], null]) assert.equal(await printed(failures), "");
});

test("a failed test says that its client got neutral names, and which option gives it a vendor's", async () => {
  const said =
    /\nworld-\d+ has neutral names, such as service_\w+ in the reply to (GET \/server_settings|POST \/register); a client of the real server needs Zulip's own, by worldOptions: { dialect: "zulip" }, or CHATDOUBLE_DIALECT=zulip for all tests$/;
  const printed = async (options, method, path, failures = [{ name: "TypeError", message: "undefined" }]) => {
    const world = await server.createWorld(options);
    const mel = await world.user("mel");
    await api(world, mel, method, path);
    // The first request is none of the last ones.
    for (let count = 0; count < 12; count++) await api(world, mel, "GET", "/users/me");
    const texts = [];
    await end(world, failures, (text) => texts.push(text));
    return texts.join("\n");
  };
  assert.match(await printed({}, "GET", "/server_settings"), said);
  assert.match(await printed({}, "POST", "/register"), said);
  assert.doesNotMatch(await printed({ dialect: "zulip" }, "GET", "/server_settings"), /neutral names/);
  assert.doesNotMatch(await printed({}, "GET", "/users/me"), /neutral names/);
  assert.equal(await printed({}, "GET", "/server_settings", null), "");
});

test("a failed test lists the polls that wait, after the requests that were answered", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const { queue_id } = await api(world, mel, "POST", "/register", { event_types: '["message"]' });
  const polling = api(world, mel, "GET", "/events", { queue_id, last_event_id: "-1" });
  await world.queues.waitParked({ user: "mel" });
  const texts = [];
  await end(world, [{ name: "AssertionError" }], (text) => texts.push(text));
  assert.match(texts[0], /^The last requests.*\n  200 POST \/register .*\n  waiting: GET \/events of mel@chat\.test$/);
  await polling;
});

test("requests that differ in the same way are shown once", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  for (const content of ["one", "one", "two"]) await send(world, mel, content);
  await assert.rejects(world.journal.verify({ path: "/messages", params: { content: "none" } }), ({ message }) => {
    for (const content of ["one", "two"])
      assert.equal(message.split(`+    "content": "${content}"`).length, 2, message);
    return true;
  });
  await world.delete();
});

test("a user who is named by a number is refused", async () => {
  const world = await server.createWorld();
  const said = { message: 'user takes a text such as "mel", not 3' };
  await assert.rejects(toHavePushed.call({}, world, { user: 3 }), said);
  await assert.rejects(world.journal.entries({ user: 3 }), said);
  await assert.rejects(world.network.clear({ user: 3 }), said);
  await assert.rejects(world.user(3), said);
  await assert.rejects(world.user(undefined), { message: 'user takes a text such as "mel", not undefined' });
  await world.delete();
});

test("a key without a value is refused where it selects or asserts", async () => {
  const world = await server.createWorld();
  const { assertNoFindings } = await import("../dist/esm/node-test.js");
  const fault = await world.faults.add({ match: { path: "/typing" }, effect: { garbage: true } });
  await world.network.set({ user: "mel", profile: "wifi", latencyMs: undefined });
  await world.rateLimit.set({ user: "mel", requests: 100, seconds: 60 });
  const [none, path] = [undefined, "/messages"];
  for (const [key, ask] of [
    ["exactly", () => toHaveReceived.call({}, world, { path, exactly: none })],
    ["user", () => toHaveReceived.call({ isNot: true }, world, { path, user: none })],
    ["exactly", () => toHaveReceived.call({}, world, { path, exactly: none }, { timeoutMs: 10 })],
    ["params.topic", () => toHaveReceived.call({}, world, { path, params: { topic: none } })],
    ["user", () => toHavePushed.call({}, world, { user: none })],
    ["atLeast", () => toHavePushed.call({ isNot: true }, world, { user: "mel", atLeast: none })],
    ["severity", () => toHaveNoFindings.call({}, world, { severity: none })],
    ["except", () => assertNoFindings(world, { except: none })],
    ["status", () => world.journal.verify({ path, status: none })],
    ["params.to", () => world.journal.waitFor({ path, params: { topic: "t", to: none } }, { timeoutMs: 10 })],
    ["user", () => world.journal.entries({ user: none })],
    ["since", () => world.pushes.list({ since: none })],
    ["deviceId", () => world.pushes.waitFor({ deviceId: none }, { timeoutMs: 10 })],
    ["count", () => world.queues.waitParked({ count: none, timeoutMs: 10 })],
    ["match", () => world.faults.add({ match: none, effect: { garbage: true } })],
    ["match.path", () => world.faults.add({ match: { path: none }, effect: { garbage: true } })],
    ["match.params.to", () => world.faults.add({ match: { params: { to: none } }, effect: { garbage: true } })],
    ["times", () => fault.waitFired({ times: none, timeoutMs: 10 })],
    ["user", () => world.network.set({ user: none, profile: "3g" })],
    ["user", () => world.network.clear({ user: none })],
    ["user", () => world.rateLimit.set({ user: none, requests: 1 })],
    ["user", () => world.rateLimit.clear({ user: none })],
    ["prefix", () => server.worlds({ prefix: none })],
    ["prefix", () => server.deleteWorlds({ prefix: none })],
  ])
    await assert.rejects(ask, { message: `${key} has no value: leave the key out` }, String(ask));
  const counts = [world.faults, world.network, world.rateLimit].map(async (of) => (await of.list()).length);
  assert.deepEqual(await Promise.all(counts), [1, 1, 1]);
  // What configures may lack a value.
  const { remove } = await world.faults.add({ times: none, effect: { error: { status: 503, code: none } } });
  assert.equal(typeof remove, "function");
  const copy = await world.fork({ label: none, snapshot: none });
  await copy.reset({ keep: none });
  await copy.clock.advance(1, { waitForClientsMs: none });
  assert.equal((await toHaveReceived.call({}, copy, { exactly: 0 }, { timeoutMs: none })).pass, true);
  await copy.delete();
  await world.delete();
});

test("keys of a changed reply stay as they are", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  await world.faults.add({ times: 1, effect: { change: { id: null, automatic_new_visibility_policy: 3 } } });
  const { id, automatic_new_visibility_policy } = await send(world, mel, "x");
  assert.deepEqual([id, automatic_new_visibility_policy], [undefined, 3]);
  await world.faults.add({ times: 1, effect: { pseudoLocalize: true } });
  const stranger = { ...mel, apiKey: "0".repeat(32) };
  assert.match((await send(world, stranger, "x")).msg, /[^\x00-\x7f]/);
  await world.delete();
});

test("networks and rate limits are set, listed and ended", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  await world.network.set({ user: "mel", profile: "wifi", latencyMs: 120 });
  const [network] = await world.network.list();
  assert.deepEqual([network.user, network.profile, network.bytesPerSecond], [mel.email, "wifi", 5_000_000]);
  const began = performance.now();
  assert.equal((await send(world, mel, "x")).result, "success");
  assert.ok(performance.now() - began >= 119);
  await world.network.set({ profile: "3g" });
  await world.network.set({ user: "max", profile: "4g" });
  for (const wrong of [{ usr: "mel" }, "mel", null]) {
    await assert.rejects(
      world.network.clear(wrong),
      /network.clear (has no option 'usr'|takes an object such as { user: "mel" })/,
    );
    await assert.rejects(world.rateLimit.clear(wrong), /rateLimit.clear (has no option|takes an object)/);
  }
  for (const part of ["faults", "previews", "journal", "pushes"])
    await assert.rejects(
      world[part].clear({ user: "mel" }),
      new RegExp(`${part}.clear takes nothing, not {"user":"mel"}`),
    );
  await assert.rejects(world.network.clear({ user: "mell" }), /the nearest is 'mel'/);
  assert.equal((await world.network.list()).length, 3);
  await world.network.clear({ user: "mel" });
  assert.deepEqual(
    (await world.network.list()).map(({ user, profile }) => [user, profile]),
    [
      [null, "3g"],
      ["max@chat.test", "4g"],
    ],
  );
  await world.network.clear();
  assert.deepEqual(await world.network.list(), []);

  await world.rateLimit.set({ user: "mel", requests: 1, seconds: 30 });
  assert.deepEqual(await world.rateLimit.list(), [{ user: mel.email, requests: 1, seconds: 30 }]);
  assert.equal((await send(world, mel, "x")).result, "success");
  assert.equal((await send(world, mel, "x")).code, "RATE_LIMIT_HIT");
  for (const requests of [0, -1])
    await assert.rejects(world.rateLimit.set({ requests, seconds: 60 }), {
      message: `$.requests: takes a whole number from 1 to 1000000, not ${requests}`,
    });
  await world.rateLimit.set({ requests: 100, seconds: 60 });
  await world.rateLimit.clear({ user: "mel" });
  assert.deepEqual(await world.rateLimit.list(), [{ user: null, requests: 100, seconds: 60 }]);
  await world.rateLimit.clear();
  assert.deepEqual(await world.rateLimit.list(), []);
  assert.equal((await send(world, mel, "x")).result, "success");
  await world.delete();
});

test("previews are delayed, and arrive with the clock", async () => {
  const world = await server.createWorld({ clock: "2026-01-01T00:00:00Z" });
  assert.deepEqual(await delaysOf(world), [0, null]);
  await world.previews.set({ thumbnailSeconds: 5, linkSeconds: "1m" });
  await world.previews.set({ thumbnailSeconds: 6 });
  assert.deepEqual(await delaysOf(world), [6, 60]);
  await assert.rejects(world.previews.set({ linkSeconds: -1 }), /at least 0 seconds/);
  await world.previews.clear();
  assert.deepEqual(await delaysOf(world), [0, null]);
  await world.delete();
});

async function delaysOf(world) {
  const { thumbnailSeconds, linkSeconds } = await world.previews.delays();
  return [thumbnailSeconds, linkSeconds];
}

test("the journal is read, verified and waited for", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const waiting = world.journal.waitFor({ path: "/messages", user: "mel", exactly: 1 }, { timeoutMs: 5000 });
  await send(world, mel, "once");
  assert.equal(await waiting, 1);
  assert.equal(await world.journal.verify({ path: "/messages", params: { content: "once" }, exactly: 1 }), 1);
  await assert.rejects(world.journal.verify({ path: "/messages", params: { content: "twice" } }), (error) => {
    assert.deepEqual([error.status, error.code, error.body.count], [400, "VERIFICATION_FAILED", 0]);
    assert.match(error.message, /found 0[\s\S]*-.*twice[\s\S]*\+.*once/);
    return true;
  });
  await assert.rejects(world.journal.waitFor({ path: "/typing" }, { timeoutMs: 10 }), (error) => error.status === 408);
  const [entry] = await world.journal.entries({ path: "/messages", limit: 1 });
  assert.deepEqual([entry.params.content, typeof entry.durationMs, entry.reply.result], ["once", "number", "success"]);
  await assert.rejects(world.journal.verify({ path: "/messages", exactly: 2 }), (error) => {
    // The one that came differs in nothing.
    return error.message === `Expected exactly 2 such requests, found 1\nThe requests that match:\n${line("once")}`;
  });
  await world.journal.clear();
  assert.deepEqual(await world.journal.entries(), []);
  await world.delete();
});

const line = (content) => `  200 POST /messages mel@chat.test content=${content} to=general topic=t type=stream`;

test("too many requests are shown without others", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  for (const content of ["one", "two"]) await send(world, mel, content);
  await api(world, mel, "GET", "/users/me");
  const refused = () => world.journal.verify({ path: "/messages", exactly: 1 }).then(assert.fail, (one) => one.message);
  const two = ["Expected exactly 1 such request, found 2", "The requests that match:", line("one"), line("two")];
  assert.deepEqual((await refused()).split("\n"), two);
  for (let sent = 0; sent < 20; sent++) await send(world, mel, "more");
  assert.ok((await refused()).endsWith(`${line("more")}\n  and 12 more`));
  await world.delete();
});

test("queues are waited for and lost", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const { queue_id: id } = await api(world, mel, "POST", "/register", { event_types: '["message"]' });
  const poll = api(world, mel, "GET", "/events", { queue_id: id, last_event_id: "-1" });
  const [parked] = await world.queues.waitParked({ user: "mel", timeoutMs: 5000 });
  assert.deepEqual([parked.queueId, parked.queue_id, parked.parked], [id, id, true]);
  await world.queues.lose(id);
  assert.equal((await poll).code, "BAD_EVENT_QUEUE_ID");
  assert.deepEqual(await world.queues.list(), []);
  await assert.rejects(world.queues.waitParked({ timeoutMs: 1 }), /parked/);
  await assert.rejects(world.queues.waitParked({}, { timeoutMs: 1 }), /parked/);
  await assert.rejects(world.queues.waitParked({}, { timeout: 1 }), /queues\.waitParked has no option 'timeout'/);
  await world.delete();
});

test("pushes are listed and waited for", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const waiting = world.pushes.waitFor({ user: "mel" });
  await api(world, mel, "POST", "/mobile_push/e2ee/test_notification");
  const [push] = await waiting;
  assert.deepEqual([push.kind, push.user, typeof push.deviceId], ["test", "mel@chat.test", "number"]);
  assert.equal((await world.pushes.list({ since: push.id })).length, 0);
  await world.pushes.clear();
  assert.deepEqual(await world.pushes.list(), []);
  await world.delete();
});

test("snapshots, state, invariants and upgrades", async () => {
  const world = await server.createWorld({ featureLevel: 250 });
  await world.snapshots.save("ready");
  await send(world, await world.user("mel"), "litter");
  await world.snapshots.restore("ready");
  assert.deepEqual(
    (await world.snapshots.list()).map((one) => one.name),
    ["ready"],
  );
  await world.snapshots.remove("ready");
  const state = await world.state();
  assert.equal(typeof state.realm, "object");
  const other = await server.createWorld({ fixture: state });
  await other.putState(state);
  assert.deepEqual(await other.state(), state);
  const { checked, violations } = await world.invariants();
  assert.ok(checked.length > 0 && violations.length === 0);
  await world.upgrade(300);
  await assert.rejects(world.upgrade(250), /from 300 on/);
  await server.deleteWorlds({ prefix: "world-" });
});

test("a world is watched", async () => {
  const world = await server.createWorld();
  const frames = world.watch();
  let isWatched = false;
  const first = frames.next().finally(() => (isWatched = true));
  const mel = await world.user("mel");
  // Requests from before the watching began are not sent, so there are further ones, with a long text for a long frame.
  while (!isWatched) await send(world, mel, "é".repeat(5000));
  const seen = [(await first).value];
  while (!seen.some((frame) => frame.type === "event")) seen.push((await frames.next()).value);
  const event = seen.find((frame) => frame.type === "event");
  assert.equal(typeof event.event.type, "string");
  assert.ok("queueId" in event);
  await frames.return();
  await world.delete();
});

test("events are recorded, also those that come while nobody asks", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const recorder = await world.recordEvents();
  await send(world, mel, "Hello");
  const event = await recorder.waitFor({ type: "message", message: { content: "Hello" } });
  assert.equal(event.message.sender_email, mel.email);
  assert.equal(await recorder.waitFor({ type: "message" }), event);
  await assert.rejects(recorder.waitFor({ type: "reaction" }, { timeoutMs: 20 }), /there were: .*message/);
  const waiting = recorder.waitFor({ type: "message", message: { content: "Again" } });
  await send(world, mel, "Again");
  assert.equal((await waiting).message.content, "Again");
  await recorder.stop();
  const count = recorder.events.length;
  await send(world, mel, "Unheard");
  assert.equal(recorder.events.length, count);
  await world.delete();
  await assert.rejects(world.recordEvents(), ChatdoubleError);
});

test("a server is found by CHATDOUBLE_URL, with its token", async () => {
  const own = await startServer({ controlToken: "secret" });
  process.env.CHATDOUBLE_URL = `${own.url}/`;
  await assert.rejects(connect().worlds(), (error) => error.status === 401);
  assert.equal((await connect(undefined, { controlToken: "secret" }).worlds()).length, 1);
  delete process.env.CHATDOUBLE_URL;
  assert.throws(() => connect(), /CHATDOUBLE_URL/);
  await own.stop();
  await assert.rejects(own.worlds(), (error) => error instanceof ChatdoubleError && error.status === 0);
});

test("a call after the server was stopped says so", async () => {
  const own = await startServer();
  const world = await own.createWorld();
  await own.stop();
  const said = /ECONNREFUSED .*\(the server was stopped, by server\.stop\(\)\)$/;
  await assert.rejects(world.user("mel"), said);
  await assert.rejects(own.health(), said);
  await world[Symbol.asyncDispose]();
});

test("a server that is not there is named once, with where its address comes from", async () => {
  const message = (connected) => connected.health().then(assert.fail, (error) => error.message);
  const gone = "GET http://127.0.0.1:1/control/health: connect ECONNREFUSED 127.0.0.1:1";
  assert.equal(await message(connect("http://127.0.0.1:1")), gone);
  process.env.CHATDOUBLE_URL = "http://127.0.0.1:1";
  const source = " (from CHATDOUBLE_URL; unset it to let the tests start a server)";
  assert.equal(await message(connect()), gone + source);
  delete process.env.CHATDOUBLE_URL;
});

test("options of the server are those of the tests' worlds where it runs already", async () => {
  const script = (options) => `import { worldFor } from "../dist/esm/testing.js";
const make = (wanted) => worldFor("t", wanted, ${JSON.stringify(options)});
const made = async () => (await make({})).server.createWorld({ forkOf: "default" });
for (const next of [() => make({}), () => make({ fixture: "empty", featureLevel: 301, dialect: "neutral" }), made]) {
  const world = await next();
  const settings = await (await fetch(world.url + "/api/v1/server_settings")).json();
  const [{ channels }] = await world.server.worlds({ prefix: world.name });
  const { zulip_feature_level, service_feature_level } = settings;
  console.log(JSON.stringify([zulip_feature_level, service_feature_level, await world.clock.now(), channels > 0]));
}
`;
  const own = await startServer({ controlToken: "secret" });
  const folder = mkdtempSync(join(HERE, "elsewhere-"));
  const run = (options, variables) => {
    writeFileSync(join(folder, "run.mjs"), script(options).replace("../dist", "../../dist"));
    const env = { ...process.env, CHATDOUBLE_URL: own.url, ...variables };
    return spawnSync(process.execPath, [join(folder, "run.mjs")], { env, encoding: "utf8" });
  };
  const options = { dialect: "zulip", featureLevel: 300, clock: "2027-01-01", seed: 3, controlToken: "secret" };
  const { stdout, stderr } = run(options);
  assert.equal(stdout, "[300,null,1798761600,true]\n[null,301,1798761600,false]\n[300,null,1798761600,true]\n", stderr);
  const said =
    "serverOptions can't give tls, webhooks to the server at CHATDOUBLE_URL, which runs already: start it with them, for tls by exec --tls, or unset CHATDOUBLE_URL";
  const refused = run({ ...options, tls: true, webhooks: "anywhere", open: false });
  assert.ok(refused.stderr.includes(said), refused.stderr);
  // Without a clock in the options, worlds are frozen as where the tests start the server.
  const clocks = (variables) => {
    const text = `import { worldFor } from "../dist/esm/testing.js";
const world = await worldFor("t", {}, { controlToken: "secret" });
console.log((await world.clock.state()).running);`;
    writeFileSync(join(folder, "run.mjs"), text.replace("../dist", "../../dist"));
    const env = { ...process.env, CHATDOUBLE_URL: own.url, ...variables };
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, "run.mjs")], { env, encoding: "utf8" });
    return stdout + stderr;
  };
  assert.equal(clocks({}), "false\n");
  assert.equal(clocks({ CHATDOUBLE_CLOCK: "real" }), "true\n");
  const gone = run(options, { CHATDOUBLE_URL: "http://127.0.0.1:1" });
  assert.match(gone.stderr, /control\/health: .* \(from CHATDOUBLE_URL; unset it/);
  rmSync(folder, { recursive: true });
  await own.stop();
});

/** An organization in a file, for as long as a body runs in its folder. */
async function withTeam(body) {
  const folder = mkdtempSync("/tmp/chatdouble-test-");
  const before = process.cwd();
  process.chdir(folder);
  try {
    writeFileSync("team.json", '{"users": [{"handle": "ann", "full_name": "Ann", "role": "owner"}]}');
    writeFileSync("cut.json", '{"users": [');
    writeFileSync("list.json", "[]");
    writeFileSync("odd.json", '{"users": [{"full_nme": "Ann"}]}');
    mkdirSync("teams");
    writeFileSync("teams/other", '{"users": [{"handle": "bea", "full_name": "Bea", "role": "owner"}]}');
    await body(folder);
  } finally {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  }
}

test("an organization in a file is that of the tests' worlds, also where the server runs already", async () => {
  await withTeam(async (folder) => {
    process.env.CHATDOUBLE_URL = server.url;
    try {
      const file = (name) => join(realpathSync(folder), name);
      for (const [wanted, serve] of [
        [{}, { fixture: "team.json" }],
        [{}, { fixture: "./team.json" }],
        [{ fixture: "team.json" }, {}],
        [{ fixture: file("team.json") }, { fixture: "cast" }],
      ]) {
        const world = await worldFor("t", wanted, serve);
        assert.equal((await world.user("ann")).email.split("@")[0], "ann");
        const own = await world.server.createWorld(wanted);
        assert.equal((await own.user("ann")).email.split("@")[0], "ann");
        await own.delete();
        await end(world, null, assert.fail);
      }
      const world = await worldFor("t", { fixture: "teams/other" });
      assert.equal((await world.user("bea")).email.split("@")[0], "bea");
      await end(world, null, assert.fail);
      for (const [wanted, serve, said] of [
        [
          {},
          { fixture: "tem.json" },
          `serverOptions.fixture: ${file("tem.json")} can't be read: ENOENT: no such file or directory`,
        ],
        [
          { fixture: "tem.json" },
          {},
          `worldOptions.fixture: ${file("tem.json")} can't be read: ENOENT: no such file or directory`,
        ],
        [{}, { fixture: "cut.json" }, `serverOptions.fixture: ${file("cut.json")} is not JSON: `],
        [{ fixture: "./list.json" }, {}, `worldOptions.fixture: ${file("list.json")} is not a JSON object`],
        [{}, { dialect: "names.json" }, `serverOptions.dialect: ${file("names.json")} can't be read: `],
        [{}, { fixture: "casst" }, "it is no built-in fixture either, of which the nearest is 'cast'"],
      ])
        await assert.rejects(worldFor("t", wanted, serve), (error) => {
          assert.ok(error instanceof ChatdoubleError && error.message.includes(said), error.message);
          return true;
        });
      const odd = /^ChatdoubleError: (server|world)Options\.fixture\.users\[0\]\.full_nme: .* \(in \.\/odd\.json\)$/;
      await assert.rejects(worldFor("t", {}, { fixture: "./odd.json" }), odd);
      await assert.rejects(worldFor("t", { fixture: "./odd.json" }), odd);
      await assert.rejects(worldFor("t", {}, { seed: -1 }), /^ChatdoubleError: serverOptions\.seed: /);
    } finally {
      delete process.env.CHATDOUBLE_URL;
    }
    const world = await server.createWorld({ fixture: "team.json" });
    assert.equal((await world.user("ann")).email.split("@")[0], "ann");
    await world.delete();
    await assert.rejects(
      server.createWorld({ fixture: "tem.json" }),
      /^ChatdoubleError: fixture: .*tem\.json can't be read/,
    );
    // A name is control's to refuse.
    await assert.rejects(server.createWorld({ fixture: "casst" }), /nearest is 'cast'/);
  });
});

test("the names that need no file are those of the program", () => {
  const help = execFileSync(process.env.CHATDOUBLE_BINARY, ["serve", "--help"], { encoding: "utf8" });
  const [, fixtures] = /--fixture <NAME\|FILE> +Built-in fixture by name \(([^)]+)\), or a file/.exec(help);
  const [, dialects] = /--dialect <NAME\|FILE> +Names on the wire: (.+), or a file/.exec(help);
  assert.deepEqual(BUILT_IN, { fixture: fixtures.split(", "), dialect: dialects.split(", ") });
});

test("leaving a block is no error where the thing is gone already", async () => {
  const leave = (thing) => thing[Symbol.asyncDispose]();
  const world = await server.createWorld();
  const effect = { garbage: true };
  for (const ending of [(fault) => fault.remove(), () => world.faults.clear(), () => world.reset()]) {
    const fault = await world.faults.add({ effect });
    await ending(fault);
    await leave(fault);
    await assert.rejects(fault.remove(), /There is no fault/);
  }
  // After a reset, another fault has the same id.
  const first = await world.faults.add({ effect });
  await world.reset();
  const second = await world.faults.add({ effect });
  assert.equal(first.id, second.id);
  await leave(first);
  assert.equal((await world.faults.list()).length, 1);
  await leave(second);
  assert.deepEqual(await world.faults.list(), []);
  const last = await world.faults.add({ effect });
  const recorder = await world.recordEvents();
  await world.delete();
  for (const thing of [last, recorder, world]) await leave(thing);
  await assert.rejects(world.delete(), /There is no world/);

  const own = await startServer();
  const held = await own.createWorld();
  const fault = await held.faults.add({ effect });
  await own.stop();
  for (const thing of [fault, held, own]) await leave(thing);
  // A server that is not there without being stopped is an error.
  await assert.rejects(leave(connect(own.url).world("x")), /ECONNREFUSED/);
});

test("what the server said before a test is not said to be of the test", async () => {
  const folder = mkdtempSync(join(HERE, "said-"));
  const file = join(folder, "said.test.mjs");
  writeFileSync(
    file,
    `import assert from "node:assert";
import test from "chatdouble/node-test";
test("it writes to the server's own address", async ({ world }) => {
  const root = world.server.world();
  const { email, apiKey } = await root.user("mel");
  const headers = { authorization: "Basic " + btoa(email + ":" + apiKey) };
  const body = new URLSearchParams({ type: "stream", to: "general", topic: "t", content: "Hello" });
  const reply = await fetch(root.url + "/api/v1/messages", { method: "POST", headers, body });
  assert.equal(reply.status, 200);
});
test("it makes no request", () => assert.fail());
`,
  );
  const { NODE_TEST_CONTEXT: _own, ...env } = process.env;
  try {
    const { stdout } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", file], {
      cwd: HERE,
      encoding: "utf8",
      env,
    });
    const [, before] = stdout.split("What chatdouble said before this test:");
    assert.match(before ?? "", /POST \/messages of mel@chat\.test changed the world default/, stdout);
    assert.doesNotMatch(stdout, /said during this test/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a call without await fails its test", async () => {
  process.env.CHATDOUBLE_URL = server.url;
  const forgetful = {
    "world.faults.add": (world) => world.faults.add({ effect: { nosuch: true } }),
    "world.journal.verify": (world) => world.journal.verify({ path: "/messages", exactly: 5 }),
    "world.journal.waitFor": (world) => world.journal.waitFor({ path: "/messages" }, { timeoutMs: 200 }),
    "world.user": (world) => world.user("mell"),
    "world.fork": (world) => world.fork(),
    "world.server.report": (world) => world.server.report(),
    toHavePushed: (world) => toHavePushed.call({}, world, { user: "mel" }),
    // Runners make a further promise of a matcher's, whose rejection nobody handles.
    toHaveReceived: (world) =>
      toHaveReceived
        .call({}, world, { path: "/messages" }, { timeoutMs: 200 })
        .then((matched) => assert.ok(matched.pass)),
  };
  const unhandled = [];
  const note = (error) => unhandled.push(error);
  process.on("unhandledRejection", note);
  for (const [name, call] of Object.entries(forgetful)) {
    const world = await worldFor("t", {});
    void call(world);
    await assert.rejects(
      end(world, null, () => {}),
      {
        name: "ChatdoubleError",
        message: `${name} had not returned when the test ended: await it`,
      },
    );
  }
  for (const [name, call] of Object.entries({
    "fault.remove": async (world) => {
      const fault = await world.faults.add({ effect: { garbage: true } });
      return () => fault.remove();
    },
    "recorder.waitFor": async (world) => {
      const recorder = await world.recordEvents();
      return () => recorder.waitFor({ type: "message" }, { timeoutMs: 100 });
    },
    "fork.clock.advance": async (world) => {
      const fork = await world.fork();
      return () => fork.clock.advance("1d");
    },
  })) {
    const world = await worldFor("t", {});
    void (await call(world))();
    await assert.rejects(
      end(world, null, () => {}),
      new RegExp(`${name} had not returned`),
    );
  }
  // Calls that have returned, and frames that nobody asks for, are no mistake.
  const world = await worldFor("t", {});
  world.watch();
  await assert.rejects(world.journal.verify({ exactly: 1 }));
  assert.throws(() => world.clock.advance(1, { waitForClientMs: 1 }), /did you mean/);
  await end(world, null, assert.fail);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.deepEqual(unhandled, []);
  process.off("unhandledRejection", note);
  delete process.env.CHATDOUBLE_URL;
});

test("a server that speaks HTTPS already is one with tls", async () => {
  const own = await startServer({ tls: true });
  const folder = mkdtempSync(join(HERE, "secured-"));
  writeFileSync(join(folder, "ca.pem"), own.tlsCa);
  const run = (options) => {
    const text = `import { worldFor } from "../../dist/esm/testing.js";
const world = await worldFor("t", {}, ${JSON.stringify(options)});
console.log(world.url.slice(0, 6), world.server.tlsCa.slice(0, 10), (await world.user("mel")).email);`;
    writeFileSync(join(folder, "run.mjs"), text);
    const env = { ...process.env, CHATDOUBLE_URL: own.url, CHATDOUBLE_TLS_CA: join(folder, "ca.pem") };
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, "run.mjs")], { env, encoding: "utf8" });
    return stdout + stderr;
  };
  for (const options of [{ tls: true }, { tls: false }, {}])
    assert.equal(run(options), "https: -----BEGIN mel@chat.test\n");
  assert.match(run({ tls: true, tlsName: "chat" }), /can't give tlsName to .* already: start it with them, or unset/);
  rmSync(folder, { recursive: true });
  await own.stop();
});

test("a test whose client reaches default instead of its world is warned", async () => {
  process.env.CHATDOUBLE_URL = server.url;
  const said = async (body, failures = null) => {
    const texts = [];
    const world = await worldFor("t", {});
    await body(world, await world.user("mel"));
    await end(world, failures, (text) => texts.push(text));
    return texts.join("\n").replaceAll(world.name, "NAME");
  };
  const ask = (world, user) => api(world, user, "GET", "/users/me");
  const warning =
    "The world default got requests during this test, and NAME none; a client that is to reach NAME takes world.url:\n" +
    "  200 GET /users/me mel@chat.test";
  assert.equal(await said((world, mel) => ask(server, mel)), warning);
  assert.ok((await said((world, mel) => ask(server, mel), [{}])).endsWith(`\n${warning}`), "of a failed test");
  // What default got before, requests to both, and none at all.
  assert.equal(await said(() => {}), "");
  assert.equal(await said(async (world, mel) => (await ask(server, mel), await ask(world, mel))), "");
  assert.equal(await said(async (world, mel) => (await ask(server, mel), await world.delete())), "");
  delete process.env.CHATDOUBLE_URL;
});

test("a test that forgot a call shows the last requests", async () => {
  process.env.CHATDOUBLE_URL = server.url;
  const world = await worldFor("t", {});
  delete process.env.CHATDOUBLE_URL;
  await send(world, await world.user("mel"), "Hello");
  void world.clock.advance(1);
  const texts = [];
  await assert.rejects(end(world, null, (text) => texts.push(text)));
  assert.match(texts.join("\n"), /^The last requests to \S+ \(t\):\n {2}200 POST \/messages mel@chat\.test/);
});

test("the report of a server has what clients of deleted worlds left behind", async () => {
  const own = await startServer();
  const world = await own.createWorld();
  await api(world, await world.user("mel"), "POST", "/register", { event_types: '["message"]' });
  assert.deepEqual(
    (await world.report()).clients[0].findings.map(({ rule }) => rule),
    [],
  );
  await world.delete();
  const { clients } = await own.report();
  assert.deepEqual([clients[0].world, clients[0].findings[0].rule], [world.name, "queue-left-behind"]);
  await own.stop();
});

test("a missing program is named with the file to install", () => {
  const launcher = fileURLToPath(new URL("../bin/chatdouble.cjs", import.meta.url));
  const { CHATDOUBLE_BINARY: _named, ...env } = process.env;
  const { stderr, status } = spawnSync(process.execPath, [launcher, "--version"], { env, encoding: "utf8" });
  assert.equal(status, 1);
  const platform = `chatdouble-${process.platform}-${process.arch}`;
  assert.ok(stderr.includes(`Install the file ${platform}-*.tgz`), stderr);
});

test("a server of the tests that has ended is named as such", async () => {
  const server = new Server({ url: "http://127.0.0.1:1", isOfRun: true });
  await assert.rejects(server.health(), /ECONNREFUSED.* \(the server that the tests started has ended\)$/);
});

test("a killed runner of node --test leaves no server behind", async () => {
  const folder = mkdtempSync(join(HERE, "killed-"));
  const file = join(folder, "killed.test.mjs");
  writeFileSync(
    file,
    `import { writeFileSync } from "node:fs";
import { test } from "chatdouble/node-test";
test("it takes long", async ({ world }) => {
  writeFileSync(${JSON.stringify(join(folder, "url"))}, world.server.url + "\\n" + process.pid);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});
`,
  );
  // The runner of this file must not be taken for that of the other.
  const { NODE_TEST_CONTEXT: _own, ...env } = process.env;
  const runner = spawn(process.execPath, ["--test", file], { cwd: HERE, stdio: "ignore", env });
  let child;
  try {
    let url;
    for (let tries = 0; url === undefined; tries++) {
      assert.ok(tries < 400, "the test did not begin");
      await new Promise((resolve) => setTimeout(resolve, 50));
      const text = existsSync(join(folder, "url")) ? readFileSync(join(folder, "url"), "utf8") : "";
      if (text.includes("\n")) [url, child] = text.split("\n");
    }
    runner.kill("SIGKILL");
    await gone(url, 2000);
  } finally {
    runner.kill("SIGKILL");
    if (child) killIfThere(Number(child));
    rmSync(folder, { recursive: true });
  }
});

function killIfThere(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

test("a failed start says what the program says", async () => {
  await assert.rejects(startServer({ fixture: "nosuch" }), /^ChatdoubleError: nosuch/);
  await assert.rejects(
    startServer({ clok: "real" }),
    /^ChatdoubleError: startServer has no option 'clok'; did you mean 'clock'\?/,
  );
});

test("a failed start names the variable that is to blame", async () => {
  const failed = (options) => startServer(options).then(assert.fail, (error) => error.message);
  const variables = { CLOCK: "frozn", FIXTURE: "nosuch", DIALECT: "zulp", FEATURE_LEVEL: "many" };
  for (const [name, value] of Object.entries(variables)) {
    process.env[`CHATDOUBLE_${name}`] = value;
    assert.ok((await failed()).endsWith(` (from CHATDOUBLE_${name})`), name);
    delete process.env[`CHATDOUBLE_${name}`];
  }
  process.env.CHATDOUBLE_CLOCK = "frozn";
  assert.doesNotMatch(await failed({ clock: "noon" }), /from/, "the option comes before the variable");
  process.env.CHATDOUBLE_SEED = "2";
  assert.doesNotMatch(await failed({ clock: "noon", fixture: "nosuch" }), /from/, "a number that happens to be shown");
  delete process.env.CHATDOUBLE_SEED;
  delete process.env.CHATDOUBLE_CLOCK;
  const before = process.env.CHATDOUBLE_BINARY;
  const folder = mkdtempSync("/tmp/chatdouble-test-");
  const other = join(folder, "other");
  try {
    process.env.CHATDOUBLE_BINARY = "/no/such";
    assert.match(await failed(), /^chatdouble can't be started: .*\/no\/such.* \(from CHATDOUBLE_BINARY\)$/);
    process.env.CHATDOUBLE_BINARY = other;
    writeFileSync(other, "#!/bin/sh\nexit 7\n", { mode: 0o755 });
    assert.equal(await failed(), `${other} ended with status 7 before it was ready (from CHATDOUBLE_BINARY)`);
    writeFileSync(other, "#!/bin/sh\necho 'other: unrecognized option' >&2\nexit 2\n", { mode: 0o755 });
    const strange = `${other} ended with status 2 before it was ready, and says: other: unrecognized option`;
    assert.equal(await failed(), `${strange} (from CHATDOUBLE_BINARY)`);
    const unknown = "unexpected argument '--exit-with-stdin' found";
    writeFileSync(other, `#!/bin/sh\necho "error: ${unknown}" >&2\nexit 2\n`, { mode: 0o755 });
    assert.equal(await failed(), `${unknown} (from CHATDOUBLE_BINARY)`);
  } finally {
    process.env.CHATDOUBLE_BINARY = before;
    rmSync(folder, { recursive: true });
  }
});

test("an address or an authority of a variable is named with it", () => {
  process.env.CHATDOUBLE_URL = "localhost:1";
  assert.throws(() => connect(), /must begin with http.* \(from CHATDOUBLE_URL; unset it/);
  process.env.CHATDOUBLE_URL = "https://localhost:1";
  process.env.CHATDOUBLE_TLS_CA = "/no/such";
  assert.throws(
    () => connect(),
    /^ChatdoubleError: the authority to trust can't be read: .*\/no\/such.* \(from CHATDOUBLE_TLS_CA\)$/,
  );
  delete process.env.CHATDOUBLE_URL;
  delete process.env.CHATDOUBLE_TLS_CA;
});

test("what the server says is shown", () => {
  const program =
    'import { startServer } from "chatdouble";\nconst server = await startServer();\n' +
    'const headers = { "user-agent": "ZulipPython/0.9.1 (Linux)" };\n' +
    "await (await fetch(`${server.url}/api/v1/server_settings`, { headers })).text();\nawait server.stop();\n";
  const node = [process.execPath, ["--input-type=module", "-e", program]];
  const { stderr } = spawnSync(...node, { encoding: "utf8", cwd: HERE });
  assert.match(stderr, /^chatdouble: the client ZulipPython\/0\.9\.1 looks for other names .*--dialect zulip$/m);
});

test("a misspelled option is named with the nearest", async () => {
  const { test: example } = await import("chatdouble/node-test");
  for (const [options, said] of [
    [{ worldOption: {} }, "extend has no option 'worldOption'; did you mean 'worldOptions'?"],
    [{ worldOptions: { fixtur: "cast" } }, "worldOptions has no option 'fixtur'; did you mean 'fixture'?"],
    [{ serverOptions: { dialectt: "zulip" } }, "serverOptions has no option 'dialectt'; did you mean 'dialect'?"],
  ])
    assert.throws(() => example.extend(options), new ChatdoubleError(said));
  assert.throws(() => connect("http://localhost:1", { controlTokn: "x" }), /did you mean 'controlToken'/);
  const world = server.world();
  assert.throws(() => world.clock.advance(1, { waitForClientMs: 1 }), /did you mean 'waitForClientsMs'/);
  await assert.rejects(world.journal.waitFor({}, { timeout: 1 }), /did you mean 'timeoutMs'/);
  await assert.rejects(world.pushes.waitFor({}, { timeout: 1 }), /did you mean 'timeoutMs'/);
});

test("fixtures of any name are taken, but for those that are misspelled options", () => {
  for (const name of ["client", "worldName", "serverUrl", "options", "world"]) checkFixtures("extend", { [name]: 1 });
  for (const name of ["worldOption", "world_options", "WorldOptions", "serverOptons"])
    assert.throws(() => checkFixtures("extend", { [name]: {} }), /did you mean '(world|server)Options'/);
  assert.throws(() => checkFixtures("extend", { worldOptions: [{ fixtur: 1 }, { scope: "file" }] }), /'fixture'/);
  checkFixtures("extend", { worldOptions: async ({}, use) => use({}) });
});

test("the options are those of the program", () => {
  const help = execFileSync(process.env.CHATDOUBLE_BINARY, ["serve", "--help"], { encoding: "utf8" });
  const camel = (name) => name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
  const options = [...help.matchAll(/^ +(?:-\w, )?--([a-z-]+)/gm)].map(([, name]) => camel(name));
  const declared = readFileSync(new URL("../src/start.ts", import.meta.url), "utf8");
  const body = /export interface StartOptions \{([^]+?)\n\}/.exec(declared)[1];
  const known = [...body.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name);
  // The package gives these itself.
  const own = ["help", "exitWithStdin", "exitWithProcess"];
  assert.deepEqual(known.sort(), options.filter((name) => !own.includes(name)).sort());
});

test("the effects of faults are those of control's document", () => {
  const text = execFileSync(process.env.CHATDOUBLE_BINARY, ["openapi", "--control"], { maxBuffer: 10_000_000 });
  const { effect } = JSON.parse(text).components.schemas.FaultRule.properties;
  const declared = readFileSync(new URL("../src/types.ts", import.meta.url), "utf8");
  const interfaces = [...declared.matchAll(/export interface \w+Effect \{\n([^]+?)\n\}/g)];
  const keys = interfaces.flatMap(([, body]) => [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, key]) => key));
  const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
  assert.deepEqual(keys.sort(), Object.keys(effect.properties).map(camel).sort());
  for (const value of Object.values(effect.properties).flatMap((one) => one.enum ?? []))
    assert.ok(value === true || declared.includes(`"${value}"`), value);
});

test("the texts that editors show of requests are those of control's document", () => {
  const limit = { encoding: "utf8", maxBuffer: 1 << 28 };
  const document = JSON.parse(execFileSync(process.env.CHATDOUBLE_BINARY, ["openapi", "--control"], limit));
  const { schemas } = document.components;
  const resolved = (schema) => (schema.$ref ? schemas[schema.$ref.split("/").at(-1)] : schema);
  const body = (path) =>
    resolved(document.paths[`/control/worlds${path}`].post.requestBody.content["application/json"].schema);
  const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
  const declared = readFileSync(new URL("../src/types.ts", import.meta.url), "utf8");
  for (const [name, schema, own] of [
    ["ForkOptions", body(""), ["dialect", "clock", "idleTtlSeconds"]],
    ["FaultRule", body("/{name}/faults"), ["match", "effect"]],
    ["FaultMatch", schemas.FaultMatch, []],
    ["NetworkTerms", body("/{name}/network"), []],
    ["RateLimitTerms", body("/{name}/rate_limit"), []],
    ["PreviewTerms", body("/{name}/previews"), []],
    ["Assertion", body("/{name}/journal/verify"), []],
    ["AwaitedPushes", body("/{name}/pushes/wait"), []],
    ["ParkedFilter", body("/{name}/queues/wait"), []],
  ]) {
    const [, text] = new RegExp(`export interface ${name} \\{\n([^]+?)\n\\}`).exec(declared);
    const shown = Object.fromEntries(
      [...text.matchAll(/\/\*\* (.+) \*\/\n {2}(\w+)\?:/g)].map(([, said, key]) => [key, said]),
    );
    for (const [key, said] of Object.entries(shown).filter(([key]) => !own.includes(key))) {
      const [, { description }] = Object.entries(schema.properties).find(([wire]) => camel(wire) === key);
      assert.equal(said, description.replace(/`\w+`/g, camel), `${name}.${key}`);
    }
    assert.ok(Object.keys(shown).length > 1);
  }
});

test("the keys that are renamed in messages are those of control's document", async () => {
  const { MESSAGE_KEYS } = await import("../dist/esm/names.js");
  const limit = { encoding: "utf8", maxBuffer: 1 << 28 };
  const document = JSON.parse(execFileSync(process.env.CHATDOUBLE_BINARY, ["openapi", "--control"], limit));
  const { schemas } = document.components;
  const keys = new Set();
  const collect = (schema, above = []) => {
    const name = schema?.$ref?.split("/").at(-1);
    if (name !== undefined && !above.includes(name)) collect(schemas[name], [...above, name]);
    for (const [key, inner] of Object.entries(schema?.properties ?? {})) {
      if (key.includes("_")) keys.add(key);
      if (!["fixture", "dialect", "error", "change", "params"].includes(key)) collect(inner, above);
    }
    for (const inner of [schema?.items, ...(schema?.anyOf ?? []), ...(schema?.oneOf ?? []), ...(schema?.allOf ?? [])])
      if (inner !== undefined) collect(inner, above);
  };
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    for (const parameter of operation.parameters ?? [])
      if (parameter.in === "query" && parameter.name.includes("_")) keys.add(parameter.name);
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) collect(schema);
  }
  assert.deepEqual([...MESSAGE_KEYS], [...keys].sort());
});

test("what is no address of a server is refused", () => {
  for (const [url, reason] of [
    ["127.0.0.1:9991", /begin with http:\/\/ or https:\/\//],
    ["localhost:9991", /begin with http:\/\/ or https:\/\//],
    ["ftp://localhost", /begin with http:\/\/ or https:\/\//],
    ["http://", /no URL/],
    ["http://localhost:99999", /no URL/],
  ]) {
    const refused = (error) =>
      error instanceof ChatdoubleError && error.message.includes(`'${url}'`) && reason.test(error.message);
    assert.throws(() => connect(url), refused);
    process.env.CHATDOUBLE_URL = url;
    assert.throws(() => connect(), refused);
    delete process.env.CHATDOUBLE_URL;
  }
});

const CALLS = {
  worlds: (server) => server.worlds(),
  createWorld: (server) => server.createWorld(),
  deleteWorlds: (server) => server.deleteWorlds({ prefix: "x" }),
  health: (server) => server.health(),
  user: (_, world) => world.user("mel"),
  state: (_, world) => world.state(),
  invariants: (_, world) => world.invariants(),
  "clock.now": (_, world) => world.clock.now(),
  "clock.agenda": (_, world) => world.clock.agenda(),
  "clock.advance": (_, world) => world.clock.advance(1),
  "faults.add": (_, world) => world.faults.add({ effect: { garbage: true } }),
  "faults.list": (_, world) => world.faults.list(),
  "network.list": (_, world) => world.network.list(),
  "rateLimit.list": (_, world) => world.rateLimit.list(),
  "previews.delays": (_, world) => world.previews.delays(),
  "journal.entries": (_, world) => world.journal.entries(),
  "journal.verify": (_, world) => world.journal.verify({}),
  "journal.waitFor": (_, world) => world.journal.waitFor({}),
  "queues.list": (_, world) => world.queues.list(),
  "queues.waitParked": (_, world) => world.queues.waitParked(),
  "pushes.list": (_, world) => world.pushes.list(),
  "pushes.waitFor": (_, world) => world.pushes.waitFor(),
  "snapshots.list": (_, world) => world.snapshots.list(),
};
const NO_REPLIES = [
  "[1,2]",
  "null",
  "5",
  '"x"',
  "[".repeat(100_000),
  '{"a":'.repeat(100_000),
  "[".repeat(100_000) + "]".repeat(100_000),
  "<html>",
  "",
  '{"result": "success", "msg": ""}',
  '{"result": "success", "msg": "", "worlds": [1], "users": [null], "entries": {}, "faults": 5, "queues": [[]], "pushes": "x", "snapshots": [1], "agenda": [2], "now": 1, "fired": 1, "violations": [3]}',
  '{"result": "error", "msg": null, "code": 7, "nearest": [1, {"diff": 2}]}',
];

test("a reply that is not one of chatdouble is an error", async () => {
  let body;
  const stranger = createServer((request, reply) => {
    request.resume();
    reply.end(body);
  }).listen(0, "127.0.0.1");
  await once(stranger, "listening");
  const connected = connect(`http://127.0.0.1:${stranger.address().port}`);
  for (body of NO_REPLIES)
    for (const [name, call] of Object.entries(CALLS))
      await assert.rejects(
        async () => call(connected, connected.world("x")),
        (error) => {
          const what = `${name} of ${body.slice(0, 40)}: ${error.stack}`;
          assert.ok(error instanceof ChatdoubleError && error.message.length < 500, what);
          return true;
        },
      );
  body = "<html>\n<p>Hello\n</html>";
  process.env.CHATDOUBLE_URL = connected.url;
  await assert.rejects(connect().worlds(), {
    message: `${connected.url} is not a chatdouble server (from CHATDOUBLE_URL; unset it to let the tests start a server): GET ${connected.url}/control/worlds answered 200 without JSON: <html> <p>Hello </html>`,
  });
  delete process.env.CHATDOUBLE_URL;
  await connected.stop();
  stranger.closeAllConnections();
  stranger.close();
});

test("the module can be loaded with require too", () => {
  const required = createRequire(import.meta.url)("chatdouble");
  assert.deepEqual(
    Object.keys(required).sort(),
    Object.keys({ ChatdoubleError, connect, startServer })
      .concat(
        "Server",
        "World",
        "Clock",
        "EventRecorder",
        "Faults",
        "InstalledFault",
        "Journal",
        "Networks",
        "Previews",
        "Pushes",
        "Queues",
        "RateLimits",
        "Snapshots",
      )
      .sort(),
  );
});

test("a server ends within 2 seconds of its starter, however that ends", async () => {
  for (const [ending, signal] of [
    ["process.kill(process.pid, 'SIGKILL')", "SIGKILL"],
    ["", null],
    ["throw new Error('x')", null],
  ]) {
    const script = `import { startServer } from "chatdouble"; const server = await startServer(); console.log(server.url); ${ending}`;
    const starter = spawn(process.execPath, ["--input-type=module", "-e", script], {
      cwd: HERE,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let url = "";
    starter.stdout.on("data", (text) => (url += text));
    const [, by] = await once(starter, "close");
    assert.equal(by, signal);
    await gone(url.trim(), 2000);
  }
});

test("a Ctrl-C that ends the tests finds the server", async () => {
  const { NODE_TEST_CONTEXT: _own, ...env } = process.env;
  for (const made of [
    'import { startServer } from "chatdouble";\nconst server = await startServer();',
    'import { serverOfRun } from "../dist/esm/run.js";\nconst server = await serverOfRun();',
  ]) {
    const script = `${made}
process.on("SIGINT", async () => {
  await new Promise((resolve) => setTimeout(resolve, 300));
  console.log("still there, with worlds:", (await server.health()).worlds);
  await server.stop();
  process.exit(0);
});
setInterval(() => {}, 1000);
console.log(server.url);`;
    const starter = spawn(process.execPath, ["--input-type=module", "-e", script], {
      cwd: HERE,
      stdio: ["ignore", "pipe", "pipe"],
      env,
      // As a shell does, so that the signal below reaches the whole group.
      detached: true,
    });
    let said = "";
    for (const stream of [starter.stdout, starter.stderr])
      stream.setEncoding("utf8").on("data", (text) => (said += text));
    while (!said.includes("\n")) await once(starter.stdout, "data");
    const url = said.trim();
    process.kill(-starter.pid, "SIGINT");
    assert.deepEqual(await once(starter, "close"), [0, null], said);
    assert.match(said, /still there, with worlds: 1/);
    await gone(url, 2000);
  }
});

test("a worker whose runner has ended starts no server", async () => {
  const folder = mkdtempSync(join(HERE, "orphan-"));
  const said = join(folder, "said");
  // The runner is the parent of the worker; it ends once the worker has loaded the module.
  writeFileSync(
    join(folder, "worker.mjs"),
    `import { serverOfRun } from "../../dist/esm/run.js";
import { renameSync, writeFileSync } from "node:fs";
const runner = process.ppid;
console.log("loaded");
while (process.ppid === runner) await new Promise((resolve) => setTimeout(resolve, 10));
const outcome = await serverOfRun().then((server) => server.url, (error) => error.message);
writeFileSync("${said}.part", outcome.replace(runner, "N"));
renameSync("${said}.part", "${said}");
`,
  );
  writeFileSync(
    join(folder, "runner.mjs"),
    `import { spawn } from "node:child_process";
const env = { ...process.env, NODE_TEST_CONTEXT: "child-v8" };
const worker = spawn(process.execPath, [${JSON.stringify(join(folder, "worker.mjs"))}], { stdio: ["ignore", "pipe", "inherit"], env });
worker.stdout.once("data", () => process.kill(process.pid, "SIGKILL"));
`,
  );
  try {
    spawnSync(process.execPath, [join(folder, "runner.mjs")], { stdio: "ignore" });
    for (let tries = 0; !existsSync(said); tries++) {
      assert.ok(tries < 200, "the worker said nothing");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.equal(readFileSync(said, "utf8"), "the test runner, process N, has ended");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the launcher passes on arguments, status and signals, and leaves nothing behind", async () => {
  const launcher = fileURLToPath(new URL("../bin/chatdouble.cjs", import.meta.url));
  assert.match(execFileSync(process.execPath, [launcher, "--version"], { encoding: "utf8" }), /^chatdouble \d/);
  const refused = spawn(process.execPath, [launcher, "serve", "--prot", "1"], { stdio: "ignore" });
  assert.deepEqual(await once(refused, "exit"), [2, null]);
  for (const signal of ["SIGTERM", "SIGKILL"]) {
    const child = spawn(process.execPath, [launcher, "serve", "--port", "0", "--log", "off"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [line] = await once(child.stdout, "data");
    const ended = once(child, "exit");
    child.kill(signal);
    assert.deepEqual(await ended, signal === "SIGTERM" ? [0, null] : [null, "SIGKILL"]);
    await gone(/http:\S+/.exec(line)[0], 2000);
  }
});

test("HTTPS is spoken with the authority that the server made", async () => {
  const secured = await startServer({ tls: true, clock: "frozen" });
  try {
    assert.match(secured.url, /^https:/);
    assert.match(secured.tlsCa, /BEGIN CERTIFICATE/);
    const world = await secured.createWorld();
    assert.equal((await world.user("mel")).email, "mel@chat.test");
    const frames = world.watch();
    const first = frames.next();
    // What happens before the watching began is not sent.
    const moving = setInterval(() => world.clock.advance("1h"), 100);
    assert.equal((await first).value.type, "clock");
    clearInterval(moving);
    await frames.return();
    await assert.rejects(connect(secured.url).health(), ChatdoubleError);
    const trusting = connect(secured.url, { tlsCa: secured.tlsCa });
    assert.equal((await trusting.health()).worlds, 2);
    await trusting.stop();
  } finally {
    await secured.stop();
  }
});

// Polls until the server no longer answers: its process is not a child of this one, so there is no exit event.
async function gone(url, patience) {
  const began = Date.now();
  for (;;) {
    const there = await fetch(`${url}/control/health`).then(
      () => true,
      () => false,
    );
    if (!there) return;
    assert.ok(Date.now() - began < patience, `${url} is still there after ${patience} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("a version of vitest that ignores options of tests is refused", () => {
  for (const version of ["4.1.0", "4.1.0-beta.1", "4.10.2", "5.0.0", undefined, "next"]) checkVitest(version);
  for (const version of ["4.0.18", "3.2.4", "0.34.6"])
    assert.throws(() => checkVitest(version), new RegExp(`needs vitest 4.1 or later, and this is ${version}: `));
});
