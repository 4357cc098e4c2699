// Tests the matchers against a running server. CHATDOUBLE_BINARY names the program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { after, before, mock, test } from "node:test";
import { ChatdoubleError, startServer } from "chatdouble";
import { toHaveEvent, toHaveNoFindings, toHavePushed, toHaveReceived } from "../dist/esm/testing.js";

let server;

before(async () => {
  server = await startServer({ clock: "frozen" });
});
after(() => server.stop());

async function api(world, user, path, form, method = "POST") {
  const authorization = `Basic ${Buffer.from(`${user.email}:${user.apiKey}`).toString("base64")}`;
  const init = { method, headers: { authorization }, body: new URLSearchParams(form) };
  const reply = await (await fetch(`${world.url}/api/v1${path}`, init)).json();
  assert.equal(reply.result, "success", reply.msg);
  return reply;
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

test("with not, a matcher watches for the whole time that it is given", async () => {
  const world = await server.createWorld({ forkOf: "default" });
  const recorder = await world.recordEvents();
  const max = await world.user("max");
  const late = async (matched) => {
    const [{ pass }] = await Promise.all([matched, send(world, max, "Hello, @**Mel Marsh**!")]);
    return pass;
  };
  const within = { timeoutMs: 2_000 };
  const isNot = { isNot: true };
  assert.equal(await late(toHaveEvent.call(isNot, recorder, { type: "message" }, within)), true);
  await world.pushes.clear();
  await world.journal.clear();
  assert.equal(await late(toHaveReceived.call(isNot, world, { path: "/messages" }, within)), true);
  assert.equal(await late(toHavePushed.call(isNot, world, { user: "mel", atLeast: 2 }, within)), true);
  const began = performance.now();
  assert.equal((await toHaveReceived.call(isNot, world, { path: "/drafts" }, { timeoutMs: 200 })).pass, false);
  assert.ok(performance.now() - began >= 200);
  await world.delete();
});

test("with only an upper limit, requests are watched for the whole time", async () => {
  const world = await server.createWorld({ forkOf: "default" });
  const max = await world.user("max");
  const within = { timeoutMs: 400 };
  for (const limit of [{ exactly: 0 }, { atMost: 0 }, { atLeast: 0, atMost: 0 }]) {
    const assertion = { method: "POST", path: "/messages", ...limit };
    const began = performance.now();
    assert.equal((await toHaveReceived.call({}, world, assertion, within)).pass, true);
    assert.ok(performance.now() - began >= 400, "it did not watch");
    const watched = toHaveReceived.call({}, world, assertion, { timeoutMs: 5_000 });
    await new Promise((next) => setTimeout(next, 50));
    await send(world, max, "Hello");
    const { pass, message } = await watched;
    assert.equal(pass, false, JSON.stringify(limit));
    assert.match(message(), /Expected (exactly|at most|from 0 to) 0 .*found 1/);
    const again = performance.now();
    assert.equal((await toHaveReceived.call({}, world, assertion, { timeoutMs: 5_000 })).pass, false);
    assert.ok(performance.now() - again < 2_000, "it watched though the limit was passed");
    await world.journal.clear();
  }
  await assert.rejects(toHaveReceived.call({}, world, { path: "/mesages", atMost: 1 }, within), /no operation has/);
  const isNot = { isNot: true };
  const awaited = toHaveReceived.call(isNot, world, { path: "/messages", exactly: 0 }, { timeoutMs: 5_000 });
  await send(world, max, "Hello");
  assert.equal((await awaited).pass, false, "with not, a request is waited for");
  await world.delete();
});

test("a recorder that was stopped says so, and is not watched", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const [recorder, other] = [await world.recordEvents(), await world.recordEvents()];
  await send(world, mel, "Before");
  await recorder.waitFor({ type: "message" });
  await recorder.stop();
  await send(world, mel, "After");
  const after = { type: "message", message: { content: "After" } };
  for (const within of [{}, { timeoutMs: 5_000 }]) {
    const { pass, message } = await toHaveEvent.call({}, recorder, after, within);
    assert.equal(pass, false);
    assert.match(message(), /there were: .*message; the recorder was stopped before, by recorder\.stop\(\)/);
  }
  const isNot = { isNot: true };
  const refused = /\.not\.toHaveEvent can't watch for 200 ms: the recorder was stopped, by recorder\.stop\(\)/;
  await assert.rejects(toHaveEvent.call(isNot, recorder, after, { timeoutMs: 200 }), refused);
  assert.equal((await toHaveEvent.call(isNot, recorder, after)).pass, false, "what was recorded can be asserted");
  const watched = toHaveEvent.call(isNot, other, { type: "reaction" }, { timeoutMs: 200 });
  await Promise.all([assert.rejects(watched, refused), other.stop()]);
  await world.delete();
});

test("a matcher as a parameter of a request is refused with what compares a part of it", async () => {
  const world = await server.createWorld();
  const containing = { asymmetricMatch: (text) => text.includes("secret"), toString: () => "StringContaining" };
  const instead = /; for a part of it, compare `params` of world\.journal\.entries\(\{ path: "\/messages" \}\)$/;
  for (const [params, said] of [
    [{ content: /secret/ }, "params.content takes the text that was sent, not the matcher /secret/;"],
    [{ content: containing }, "params.content takes the text that was sent, not the matcher StringContaining;"],
    [/secret/, "params takes an object of texts that were sent, not the matcher /secret/;"],
  ])
    for (const made of [
      () => toHaveReceived.call({}, world, { path: "/messages", params }),
      () => toHaveReceived.call({ isNot: true }, world, { path: "/messages", params }, { timeoutMs: 10 }),
      () => world.journal.verify({ path: "/messages", params }),
      () => world.journal.waitFor({ path: "/messages", params }, { timeoutMs: 10 }),
    ])
      await assert.rejects(made(), (error) => {
        assert.ok(error.message.startsWith(said), error.message);
        assert.match(error.message, instead);
        return true;
      });
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

test("waits end in real time under fake timers", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const recorder = await world.recordEvents();
  const began = performance.now();
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  try {
    await assert.rejects(recorder.waitFor({ type: "reaction" }, { timeoutMs: 50 }), /no such event came/);
    assert.equal((await toHaveEvent.call({}, recorder, { type: "message" }, { timeoutMs: 50 })).pass, false);
    await send(world, mel, "Hello");
    assert.ok((await toHaveEvent.call({}, recorder, { type: "message" })).pass);
  } finally {
    mock.timers.reset();
  }
  const took = performance.now() - began;
  assert.ok(took >= 99 && took < 2_000, `${took} ms`);
  await world.delete();
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
  assert.match(tooMany.message(), /pushed 1 time \(\{"user":"mel"\}\), none expected\nThe last pushes:/);
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

test("a world without notes says that those of its end are not known yet", async () => {
  const world = await server.createWorld();
  const ended = /found when the world is deleted: chatdouble exec --report FILE --fail-on note$/;
  assert.match((await toHaveNoFindings.call({ isNot: true }, world, { severity: "note" })).message(), ended);
  assert.doesNotMatch((await toHaveNoFindings.call({ isNot: true }, world)).message(), ended);
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

test("an event of a type that there is not is refused, also with not", async () => {
  const world = await server.createWorld();
  const recorder = await world.recordEvents();
  for (const isNot of [false, true]) {
    await assert.rejects(
      toHaveEvent.call({ isNot }, recorder, { type: "mesage" }),
      /there is no event of the type 'mesage'; the nearest is 'message'/,
    );
    await assert.rejects(
      toHaveEvent.call({ isNot }, recorder, "message"),
      /takes an object such as { type: "message" }/,
    );
  }
  await assert.rejects(recorder.waitFor({ type: "reactions" }), /the nearest is 'reaction'/);
  await world.delete();
});

test("a key that no event of the type has is refused, also with not", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const recorder = await world.recordEvents();
  const refusals = [
    [{ typ: "message" }, "an event has no key 'typ'; the nearest is 'type'"],
    [
      { type: "message", mesage: { content: "Hello" } },
      "an event of the type 'message' has no key 'mesage'; the nearest is 'message'",
    ],
    [
      { type: "message", id: 5 },
      "an event of the type 'message' has no key 'id'; it has flags, local_message_id, message, type",
    ],
    [
      { type: "message", message: { sender_emial: mel.email } },
      "the message of an event has no key 'sender_emial'; the nearest is 'sender_email'",
    ],
    [
      { type: "message", message: "Hello" },
      /^message in the pattern of an event takes an object such as { content: "Hello" }/,
    ],
    [
      { type: "message", message: { topic: "t" } },
      "the message of an event has no key 'topic'; the nearest is 'subject'",
    ],
    [{ type: "reaction", emoji: "smile" }, /^an event of the type 'reaction' has no key 'emoji'; it has emoji_code, /],
  ];
  for (const round of ["before an event", "after it"]) {
    for (const [pattern, message] of refusals)
      for (const isNot of [false, true])
        await assert.rejects(
          toHaveEvent.call({ isNot }, recorder, pattern),
          { name: "ChatdoubleError", message },
          round,
        );
    await send(world, mel, "Hello");
    await recorder.waitFor({ type: "message", message: { subject: "t" } });
  }
  await assert.rejects(recorder.waitFor({ type: "message", flag: [] }), /the nearest is 'flags'/);
  // Such an event is one of older levels, whose keys are not known.
  assert.equal((await toHaveEvent.call({ isNot: true }, recorder, { type: "restart", immediate: true })).pass, false);
  await world.delete();
});

/** Matchers as the runners have them. */
const containing = (sample) => ({
  sample,
  asymmetricMatch: (value) => typeof value === "string" && value.includes(sample),
  toString: () => "StringContaining",
});
const any = (kind) => ({
  asymmetricMatch: (value) => typeof value === kind,
  toAsymmetricMatcher: () => `Any<${kind}>`,
});

test("a pattern has matchers of the runner and regular expressions at any depth", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const recorder = await world.recordEvents();
  await send(world, mel, "a secret");
  const general = /^gen/g;
  for (const pattern of [
    { type: "message", message: { content: containing("secret"), id: any("number"), reactions: any("object") } },
    { type: "message", message: { content: /SECRET$/i, display_recipient: general } },
    { type: "message", message: { content: /SECRET$/i, display_recipient: general } },
    { type: "message", message: any("object") },
    { type: containing("mess") },
    { type: /^message$/, message: { subject: /t/ } },
    any("object"),
  ]) {
    const { pass, message } = await toHaveEvent.call({ isNot: true }, recorder, pattern);
    assert.ok(pass, message());
    await recorder.waitFor(pattern, { timeoutMs: 0 });
  }
  const wanted = { type: "message", message: { content: containing("secrets"), subject: /x/, id: any("string") } };
  const { pass, message } = await toHaveEvent.call({}, recorder, wanted);
  assert.equal(pass, false);
  assert.ok(
    message().includes('- message.content: StringContaining "secrets"\n+ message.content: "a secret"\n'),
    message(),
  );
  assert.ok(
    message().includes('- message.subject: /x/\n+ message.subject: "t"\n- message.id: Any<string>\n'),
    message(),
  );
  assert.match(message(), /\{"type":"message","message":\{"content":StringContaining "secrets",[^\n]*\}$/);
  assert.equal((await toHaveEvent.call({}, recorder, any("string"))).pass, false);
  await world.delete();
});

test("a word that its key has at no level is refused at any depth", async () => {
  const world = await server.createWorld();
  const own = await world.recordEvents({ user: "mel" });
  const message = "the message of an event has no";
  const event = (type) => `an event of the type '${type}' has no`;
  const refusals = [
    [{ type: "message", message: { type: "channel" } }, `${message} type 'channel'; type is private or stream`],
    [{ type: "message", message: { type: "foo" } }, `${message} type 'foo'; type is private or stream`],
    [{ type: "message", message: { type: "steam" } }, `${message} type 'steam'; the nearest is 'stream'`],
    [
      { type: "message", message: { content_type: "text/markdown" } },
      /no content_type 'text\/markdown'; the nearest is /,
    ],
    [
      { type: "message", message: { reactions: [{ reaction_type: "emoji" }] } },
      `${message} reactions.reaction_type 'emoji'; reactions.reaction_type is *_extra_emoji, realm_emoji or unicode_emoji`,
    ],
    [
      { type: "realm_user", person: { role: 150 } },
      `${event("realm_user")} person.role 150; person.role is 100, 200, 300, 400 or 600`,
    ],
    [{ type: "realm_user", person: { role: "owner" } }, /no person.role 'owner'; person.role is 100, 200/],
    [{ type: "realm_user", person: { bot_type: 5 } }, /no person.bot_type 5; person.bot_type is 1, 2, 3 or 4/],
    [{ type: "realm_user", person: { avatar_source: "X" } }, /no person.avatar_source 'X'/],
    [{ type: "user_topic", visibility_policy: 4 }, /no visibility_policy 4; visibility_policy is 0, 1, 2 or 3/],
    [{ type: "drafts", drafts: [{ type: "dm" }] }, /no drafts.type 'dm'; drafts.type is "", private or stream/],
    [{ type: "presence", presence: { website: { status: "away" } } }, /no presence.website.status 'away'/],
    [{ type: "reminders", reminders: [{ type: "stream" }] }, /no reminders.type 'stream'; the nearest is 'private'/],
    [{ type: "scheduled_messages", scheduled_messages: [{ type: "direct" }] }, /no scheduled_messages.type 'direct'/],
    [{ type: "scheduled_messages", scheduled_message: { type: "direct" } }, /no scheduled_message.type 'direct'/],
    [{ type: "typing_edit_message", recipient: { type: "stream" } }, /no recipient.type 'stream'/],
    [{ type: "typing", message_type: "channel" }, /no message_type 'channel'; message_type is direct, private or/],
    [{ type: "update_message_flags", flag: "unread" }, /no flag 'unread'; the nearest is 'read'/],
    [{ type: "update_message_flags", flag: "mentioned" }, /no flag 'mentioned'; flag is collapsed, hide_link_/],
    [
      { type: "update_message_flags", message_details: { 7: { type: "direct" } } },
      /no message_details.7.type 'direct'/,
    ],
    [{ type: "realm", property: "nmae" }, `${event("realm")} property 'nmae'; the nearest is 'name'`],
    [{ type: "realm", data: { icon_source: "D" } }, /no data.icon_source 'D'; data.icon_source is G or U/],
    [{ type: "stream", property: "topic_policy" }, /no property 'topic_policy'; the nearest is 'topics_policy'/],
    [{ type: "stream", streams: [{ topics_policy: "none" }] }, /no streams.topics_policy 'none'/],
    [{ type: "subscription", property: "colour" }, /no property 'colour'; the nearest is 'color'/],
    [{ type: "user_settings", property: "timezones" }, /no property 'timezones'; the nearest is 'timezone'/],
    [{ type: "realm_user_settings_defaults", property: "theme" }, /no property 'theme'; the nearest is /],
    [{ type: "custom_profile_fields", fields: [{ type: 9 }] }, /no fields.type 9; fields.type is 1, 2/],
    [{ type: "realm_export", exports: [{ export_type: 3 }] }, /no exports.export_type 3/],
  ];
  for (const [pattern, refusal] of refusals)
    for (const isNot of [false, true])
      await assert.rejects(
        toHaveEvent.call({ isNot }, own, pattern),
        { name: "ChatdoubleError", message: refusal },
        JSON.stringify(pattern),
      );
  const possible = [
    { type: "message", message: { type: "private", content_type: "text/html" } },
    { type: "message", message: { type: /channel/ } },
    { type: "message", message: { reactions: [{ reaction_type: "acme_extra_emoji", emoji_name: "x" }] } },
    { type: "realm_user", person: { role: 600, bot_type: null, full_name: "x" } },
    { type: "realm", property: "acme_update_announcements_stream_id" },
    { type: "realm", property: "allow_edit_history" },
    { type: "realm", property: "night_logo" },
    { type: "stream", property: "can_remove_subscribers_group_id" },
    { type: "subscription", property: "in_home_view" },
    { type: "user_settings", property: "dense_mode" },
    { type: "typing", message_type: "private" },
    { type: "drafts", drafts: [{ type: "", content: "x" }] },
    { type: "update_message_flags", message_details: { 7: { type: "private" } } },
    { type: "user_topic", visibility_policy: 3 },
  ];
  for (const pattern of possible)
    assert.equal((await toHaveEvent.call({ isNot: true }, own, pattern)).pass, false, JSON.stringify(pattern));
  await world.delete();
});

test("a user is named by what world.user returns, too", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  await send(world, mel, "Hello");
  assert.ok((await toHaveReceived.call({}, world, { path: "/messages", user: mel, exactly: 1 })).pass);
  assert.match(
    (await toHavePushed.call({}, world, { user: await world.user("max") })).message(),
    /max@chat.test has no/,
  );
  assert.equal((await world.journal.entries({ user: mel })).length, 1);
  assert.deepEqual(await world.pushes.list({ user: mel }), []);
  await world.network.set({ user: mel, latencyMs: 1 });
  await world.network.clear({ user: mel });
  assert.deepEqual(await world.network.list(), []);
  const fault = await world.faults.add({ match: { user: mel }, effect: { error: { status: 503 } } });
  await assert.rejects(send(world, mel, "Hello"), /Service Unavailable/);
  await fault.waitFired();
  await world.delete();
});

test("a condition that always holds, and a sender without an address, are refused", async () => {
  const world = await server.createWorld();
  const own = await world.recordEvents({ user: "mel" });
  const always = /^atLeast: 0 always holds; did you mean /;
  await assert.rejects(toHaveReceived.call({}, world, { path: "/messages", atLeast: 0 }), { message: always });
  await assert.rejects(toHavePushed.call({}, world, { atLeast: 0 }), { message: always });
  assert.equal(await world.journal.verify({ path: "/messages", atLeast: 0, atMost: 1 }), 0);
  await assert.rejects(
    toHaveEvent.call({ isNot: true }, own, { type: "message", message: { sender_email: "mel" } }),
    /has an address as sender_email, not 'mel': world.user/,
  );
  await world.delete();
});

test("the content of a message in another form than the recorded client receives is refused", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const html = await world.recordEvents({ user: "mel" });
  const markdown = await world.recordEvents({ user: "mel", register: { apply_markdown: false } });
  const of = (content) => ({ type: "message", message: { content } });
  const changed = (parts) => ({ type: "update_message", ...parts });
  const refusals = [
    [html, of("secret"), /in HTML, not in Markdown: expect "<p>secret<\/p>", a part .* apply_markdown: false \}$/],
    [markdown, of("<p>secret</p>"), /in Markdown, not in HTML, since it registers with apply_markdown: false: expect /],
    [html, changed({ rendered_content: "secret" }), /has HTML as rendered_content; it has Markdown as content$/],
    [html, changed({ orig_rendered_content: "secret" }), /has HTML as orig_rendered_content; .* as orig_content$/],
  ];
  const possible = [
    [html, of("<p>secret</p>")],
    [html, of("")],
    [html, of(/secret/)],
    [markdown, of("secret")],
    [markdown, of("<3")],
    [html, changed({ rendered_content: "<p>secret</p>", content: "secret" })],
  ];
  for (const round of ["before an event", "after it"]) {
    for (const [recorder, pattern, message] of refusals)
      for (const isNot of [false, true])
        await assert.rejects(
          toHaveEvent.call({ isNot }, recorder, pattern),
          { name: "ChatdoubleError", message },
          `${round}: ${JSON.stringify(pattern)}`,
        );
    for (const [recorder, pattern] of possible)
      assert.equal((await toHaveEvent.call({ isNot: true }, recorder, pattern)).pass, false, JSON.stringify(pattern));
    await send(world, mel, "Hello");
  }
  assert.ok((await toHaveEvent.call({}, html, of("<p>Hello</p>"))).pass);
  assert.ok((await toHaveEvent.call({}, markdown, of("Hello"))).pass);
  await send(world, mel, "<p>secret</p>");
  assert.ok((await toHaveEvent.call({}, markdown, of("<p>secret</p>"))).pass);
  await world.delete();
});

test("a value that its key has at no level is refused, also with not", async () => {
  const world = await server.createWorld();
  const mel = await world.user("mel");
  const own = await world.recordEvents({ user: "mel" });
  const all = await world.recordEvents();
  class Own {}
  const json = "takes a value of JSON or a matcher such as expect.any(Number), not";
  const refusals = [
    [{ type: "message", message: { id: "7" } }, 'the message of an event has a number as id, not the text "7"'],
    [
      { type: "reaction", message_id: "7" },
      "an event of the type 'reaction' has a number as message_id, not the text \"7\"",
    ],
    [
      { type: "reaction", reaction_type: "unicode" },
      "an event of the type 'reaction' has no reaction_type 'unicode'; reaction_type is *_extra_emoji, realm_emoji or unicode_emoji",
    ],
    [
      { type: "reaction", message_id: /7/ },
      "an event of the type 'reaction' has a number as message_id, not a text like /7/",
    ],
    [{ type: "message", message: { subject: 5 } }, "the message of an event has a text as subject, not the number 5"],
    [
      { type: "message", message: { stream_id: "5" } },
      'the message of an event has a number or null as stream_id, not the text "5"',
    ],
    [
      { type: "message", message: { subject: undefined } },
      "message.subject in the pattern of an event has no value: leave the key out",
    ],
    [{ type: undefined }, "type in the pattern of an event has no value: leave the key out"],
    [{ type: "reaction", op: "added" }, "an event of the type 'reaction' has no op 'added'; the nearest is 'add'"],
    [{ type: "reaction", op: "created" }, "an event of the type 'reaction' has no op 'created'; op is add or remove"],
    [
      { type: "update_message_flags", messages: ["7"] },
      "an event of the type 'update_message_flags' has a list of numbers as messages, not the list [\"7\"]",
    ],
    [
      { type: "update_message_flags", all: null },
      "an event of the type 'update_message_flags' has true or false as all, not null",
    ],
    [
      { type: "message", message: { timestamp: new Date() } },
      `message.timestamp in the pattern of an event ${json} an object of Date`,
    ],
    [{ type: "message", message: new Map() }, `message in the pattern of an event ${json} an object of Map`],
    [
      { type: "message", message: { reactions: [new Own()] } },
      `message.reactions[0] in the pattern of an event ${json} an object of Own`,
    ],
    [{ type: "message", message: { id: () => 7 } }, `message.id in the pattern of an event ${json} a function`],
    [{ type: "message", message: { id: NaN } }, `message.id in the pattern of an event ${json} NaN`],
    [{ type: "restart", immediate: 1n }, `immediate in the pattern of an event ${json} 1`],
    [/message/, `the pattern of an event ${json} an object of RegExp`],
  ];
  const ofOne = [
    [
      { type: "message", flags: "mentioned" },
      "an event of the type 'message' has a list of texts as flags, not the text \"mentioned\"",
    ],
    [{ type: "message", flags: ["mention"] }, "a message has no flag 'mention'; the nearest is 'mentioned'"],
  ];
  for (const round of ["before an event", "after it"]) {
    for (const [recorder, cases] of [
      [all, refusals],
      [own, [...refusals, ...ofOne]],
    ])
      for (const [pattern, message] of cases)
        for (const isNot of [false, true])
          await assert.rejects(
            toHaveEvent.call({ isNot }, recorder, pattern),
            { name: "ChatdoubleError", message },
            round,
          );
    await send(world, mel, "Hello");
    await own.waitFor({ type: "message" });
  }
  await assert.rejects(all.waitFor({ type: "reaction", message_id: "7" }), /has a number as message_id/);
  await world.delete();
});

test("a recorder refuses what its client can't receive", async () => {
  const capable = { client_capabilities: { bulk_message_deletion: true, simplified_presence_events: true } };
  const [newest, older] = [await server.createWorld(), await server.createWorld({ featureLevel: 100 })];
  const all = await newest.recordEvents();
  const plain = await newest.recordEvents({ user: "mel" });
  const bulk = await newest.recordEvents({ user: "mel", register: capable });
  const early = await older.recordEvents({ user: "mel" });
  const cases = [
    [all, { message_id: 7 }, "recordEvents() of all users records events as for a client with bulk_message_deletion"],
    [plain, { message_ids: [7] }, "the recorded client has the capability bulk_message_deletion off"],
    [bulk, { message_id: 7 }, "the recorded client has the capability bulk_message_deletion on"],
  ];
  const refused = (recorder, pattern, message) =>
    assert.rejects(toHaveEvent.call({ isNot: true }, recorder, pattern), { name: "ChatdoubleError", message });
  for (const [recorder, part, reason] of cases) {
    const [key] = Object.keys(part);
    const other = key === "message_id" ? "message_ids" : "message_id";
    const isOn = key === "message_ids";
    const remedy =
      recorder === all ? "" : `, or give register: { client_capabilities: { bulk_message_deletion: ${isOn} } }`;
    const rest = `so that its events of the type 'delete_message' have no '${key}'; expect '${other}'${remedy}`;
    await refused(recorder, { type: "delete_message", ...part }, `${reason}, ${rest}`);
  }
  for (const key of ["server_timestamp", "user_id"])
    await assert.rejects(bulk.waitFor({ type: "presence", [key]: 7 }), /expect 'presences'/);
  await refused(early, { type: "user_topic" }, "at feature level 100 there are no events of the type 'user_topic'");
  const op = "at feature level 100 an event of the type 'realm_emoji' has no 'emoji_id'";
  await refused(early, { type: "realm_emoji", emoji_id: "7" }, op);
  const mel = await older.user("mel");
  const muted = { stream: "general", topic: "t", op: "add" };
  await api(older, mel, "/users/me/subscriptions/muted_topics", muted, "PATCH");
  assert.ok((await toHaveEvent.call({}, early, { type: "muted_topics" })).pass, "without a queue");
  const max = await newest.user("max");
  const { id } = await send(newest, max, "Hello");
  await api(newest, max, `/messages/${id}`, {}, "DELETE");
  assert.ok((await toHaveEvent.call({}, all, { type: "delete_message", message_ids: [id] })).pass);
  await newest.delete();
  await older.delete();
});

test("a recorder of one user has what a client of theirs receives", async () => {
  const world = await server.createWorld();
  const [mel, max] = [await world.user("mel"), await world.user("max")];
  const recorders = [await world.recordEvents({ user: "mel" }), await world.recordEvents({ user: mel })];
  const other = await world.recordEvents({ user: "max" });
  await send(world, max, "**Hello**, @**Mel Marsh**!");
  for (const recorder of recorders) {
    const mentioned = { type: "message", flags: ["mentioned"] };
    const { pass, message } = await toHaveEvent.call({}, recorder, mentioned);
    assert.ok(pass, message());
    const event = await recorder.waitFor(mentioned);
    assert.match(event.message.content, /^<p><strong>Hello<\/strong>, <span class="user-mention"/);
    assert.deepEqual(Object.keys(event).sort(), ["flags", "message", "type"]);
  }
  const { pass, message } = await toHaveEvent.call({}, other, { type: "message", flags: ["mentioned"] });
  assert.equal(pass, false);
  assert.match(message(), /\n- flags: \["mentioned"\]\n\+ flags: \[/);
  await api(world, max, "/messages", { type: "direct", to: `[${max.id}]`, content: "to myself" });
  assert.equal((await toHaveEvent.call({ isNot: true }, recorders[0], { message: { type: "private" } })).pass, false);
  assert.ok((await toHaveEvent.call({}, other, { message: { type: "private" } })).pass);
  await world.delete();
});

test("a recorder of one user disturbs neither the world nor its clients", async () => {
  const world = await server.createWorld();
  const [mel, max] = [await world.user("mel"), await world.user("max")];
  const before = await world.state();
  await world.rateLimit.set({ user: "mel", requests: 1, seconds: 60 });
  const fault = await world.faults.add({ match: { user: "mel" }, times: 1, effect: { drop: "before" } });
  const recorder = await world.recordEvents({ user: "mel" });
  assert.deepEqual(await world.state(), before);
  await send(world, max, "Hello");
  assert.ok((await toHaveEvent.call({}, recorder, { type: "message" })).pass);
  const moved = await world.clock.advance("1d");
  assert.ok(moved.waitedMs < 500, `${moved.waitedMs}`);
  assert.deepEqual(moved.notParked, []);
  assert.deepEqual(await world.queues.list(), []);
  assert.equal((await world.faults.list()).find(({ id }) => id === fault.id).fired, 0);
  assert.equal(await world.journal.verify({ user: "mel", exactly: 0 }), 0);
  assert.deepEqual(
    (await world.report()).clients.map(({ user }) => user),
    [max.email],
  );
  // It still records after the day in which a queue would have expired.
  await send(world, max, "Again");
  await recorder.waitFor({ type: "message", message: { content: "<p>Again</p>" } });
  await recorder.stop();
  await send(world, max, "Unheard");
  assert.ok(recorder.events.every(({ message }) => message?.content !== "<p>Unheard</p>"));
  await world.delete();
});

test("a recorder of one user takes what a client registers with, at the level of the world", async () => {
  const world = await server.createWorld({ featureLevel: 0, dialect: "zulip" });
  const max = await world.user("max");
  const register = { apply_markdown: false, event_types: ["message"] };
  const recorder = await world.recordEvents({ user: "mel", register });
  await send(world, max, "*Hello*");
  const { message } = await recorder.waitFor({ type: "message", message: { content: "*Hello*" } });
  assert.ok("subject_links" in message && !("topic_links" in message));
  await assert.rejects(
    recorder.waitFor({ type: "reaction" }),
    /the recorded client receives no event of the type 'reaction': its event_types are message$/,
  );
  await world.delete();
});

test("a recorder of nobody, or of no client, is refused", async () => {
  const world = await server.createWorld();
  const text = 'takes a text such as "mel"';
  for (const [options, said] of [
    [{}, `user ${text}, not undefined`],
    [{ user: undefined }, `user ${text}, not undefined`],
    [{ user: null }, `user ${text}, not null`],
    [{ user: 3 }, `user ${text}, not 3`],
    ["mel", 'recordEvents takes an object such as { user: "mel" }, not "mel"'],
    [{ usr: "mel" }, "recordEvents has no option 'usr'; did you mean 'user'?"],
    [{ user: "mell" }, /the nearest is 'mel'\nThe active users of /],
    [{ user: "dana" }, /is deactivated/],
    [{ user: "mel", register: { colour: 1 } }, /^register has no option 'colour'/],
    [{ user: "mel", register: { event_types: ["mesage"] } }, /the nearest is 'message'$/],
    [{ user: "mel", register: { narrow: [["colour", "red"]] } }, "register: Operator colour not supported."],
    [{ user: "mel", register: { client_capabilities: [] } }, "register: client_capabilities is not a dict"],
    [{ user: "gus", register: { all_public_streams: true } }, /^register: /],
  ])
    await assert.rejects(world.recordEvents(options), { name: "ChatdoubleError", message: said });
  await world.delete();
});

test("what no event has before it is made for a client is refused, also with not", async () => {
  const world = await server.createWorld();
  const max = await world.user("max");
  const recorder = await world.recordEvents();
  await send(world, max, "<p>as I typed it</p>");
  await recorder.waitFor({ type: "message" });
  await recorder.waitFor({ type: "message", message: { content: "<p>as I typed it</p>" } });
  const said = /^recordEvents\(\) of all users records .*; record .*, by world\.recordEvents\({ user: "mel" }\)$/;
  for (const pattern of [
    { type: "message", flags: ["mentioned"] },
    { type: "update_message", flags: [] },
    { flags: [] },
    { type: "message", message: { content: "<p>Hello</p>" } },
    { type: "message", message: { subject_links: [] } },
    { type: "reaction", user: {} },
  ])
    for (const isNot of [false, true])
      await assert.rejects(toHaveEvent.call({ isNot }, recorder, pattern), { name: "ChatdoubleError", message: said });
  await recorder.waitFor({ type: "message", message: { content: "a < b" } }, { timeoutMs: 0 }).catch((error) => {
    assert.match(error.message, /^no such event came/);
  });
  const own = await world.recordEvents({ user: "mel" });
  for (const pattern of [
    { type: "message", flags: [] },
    { type: "message", message: { content: "<p>Hello</p>" } },
  ])
    assert.equal((await toHaveEvent.call({ isNot: true }, own, pattern)).pass, false);
  await world.delete();
});

test("recorded events have no other keys than those that patterns may have", async () => {
  const { EVENT_KEYS, EVENT_MESSAGE_KEYS } = await import("../dist/esm/event-keys.gen.js");
  for (const options of [{}, { featureLevel: 1 }, { featureLevel: 128 }, { dialect: "zulip" }]) {
    const world = await server.createWorld(options);
    const mel = await world.user("mel");
    const recorder = await world.recordEvents();
    await send(world, mel, "Hello");
    const { id } = (await recorder.waitFor({ type: "message" })).message;
    await api(world, mel, `/messages/${id}/reactions`, { emoji_name: "smile", reaction_type: "unicode_emoji" });
    await world.clock.advance("3d");
    await recorder.catchUp();
    assert.ok(new Set(recorder.events.map(({ type }) => type)).size >= 2);
    for (const event of recorder.events)
      for (const [value, known] of [
        [event, EVENT_KEYS[event.type]],
        [event.type === "message" ? event.message : {}, EVENT_MESSAGE_KEYS],
      ])
        for (const key of Object.keys(value)) assert.ok(Object.hasOwn(known, key), `${event.type}: ${key}`);
    // An event fits the pattern that is the event itself, before the world has sent any that a check could learn from.
    const { checkPattern } = await import("../dist/esm/event-pattern.js");
    const client = { isOfUser: true, types: undefined, capabilities: { bulk_message_deletion: true } };
    for (const event of recorder.events) checkPattern(event, [], client);
    await world.delete();
  }
});

test("the types of events are those of the program", async () => {
  const { EVENT_TYPES, ALL_EVENT_TYPES } = await import("../dist/esm/event-types.js");
  const types = (level) => {
    const line = ["openapi", "--dialect", "zulip", ...level];
    const limit = { encoding: "utf8", maxBuffer: 1 << 28 };
    const { schemas } = JSON.parse(execFileSync(process.env.CHATDOUBLE_BINARY, line, limit)).components;
    const names = Object.keys(schemas).filter((name) => name.startsWith("event."));
    return [...new Set(names.map((name) => name.split(".")[1]))].sort();
  };
  assert.deepEqual([...EVENT_TYPES].sort(), types([]));
  // The document declares events that the newest level lacks without their names.
  for (const name of types(["--feature-level", "0"]))
    assert.ok(name === "legacy" || ALL_EVENT_TYPES.includes(name), name);
});

test("a mistake in worldOptions, and what no matcher takes, is named in the package's words", async () => {
  const { worldFor } = await import("../dist/esm/testing.js");
  process.env.CHATDOUBLE_URL = server.url;
  for (const [options, said] of [
    [{ featureLevel: "100" }, /^worldOptions\.featureLevel: takes a whole number, not the text "100"$/],
    [{ dialect: "zullip" }, /^worldOptions\.dialect: takes neutral, zulip or/],
    [{ idleTtlSeconds: "x" }, /^worldOptions\.idleTtlSeconds: takes/],
    [{ fixture: { users: [{ full_nme: "x" }] } }, /^worldOptions\.fixture\.users\[0\]\.full_nme: .*`full_name`/],
  ])
    await assert.rejects(worldFor("t", options), (error) => said.test(error.message) || assert.fail(error.message));
  delete process.env.CHATDOUBLE_URL;
  const world = await server.createWorld();
  await assert.rejects(
    toHavePushed.call({}, world, "mel"),
    /toHavePushed takes an object such as { user: "mel" }, not "mel"/,
  );
  await assert.rejects(toHavePushed.call({}, world, { device: 1 }), /did you mean 'deviceId'/);
  for (const [matcher, given, message] of [
    [
      toHavePushed,
      { user: "mel", timeout: 10 },
      "toHavePushed takes timeoutMs in an argument of its own: { timeoutMs: 100 }",
    ],
    [toHavePushed, { exactly: 1 }, "toHavePushed has no option 'exactly'; world.pushes.list() has all pushes"],
    [toHavePushed, { atMost: 1 }, "toHavePushed has no option 'atMost'; world.pushes.list() has all pushes"],
    [
      toHaveReceived,
      { timeout_ms: 10 },
      "toHaveReceived takes timeoutMs in an argument of its own: { timeoutMs: 100 }",
    ],
  ])
    await assert.rejects(matcher.call({}, world, given), { name: "ChatdoubleError", message });
  await assert.rejects(toHavePushed.call({}, world, { content: "x" }), {
    message: "toHavePushed has no option 'content'; it takes user, deviceId, since, atLeast",
  });
  for (const [call, given] of [
    [toHaveReceived, { path: "/messages", user: null }],
    [toHaveReceived, { path: "/messages", params: { topic: null } }],
    [toHavePushed, { user: null }],
  ])
    await assert.rejects(
      call.call({ isNot: true }, world, given),
      /^ChatdoubleError: (user|params.topic) takes no null: /,
    );
  await assert.rejects(toHaveReceived.call({}, world, { atleast: 1 }), /did you mean 'atLeast'/);
  await assert.rejects(
    world.faults.add({ effect: { looseQueue: true } }),
    /^ChatdoubleError: \$\.effect\.looseQueue: .*loseQueue and events; the nearest is 'loseQueue'$/,
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

test("a matcher that does not hold the other way counts in words", async () => {
  const world = await server.createWorld();
  const max = await world.user("max");
  for (const said of ["1 such request:", "2 such requests:"]) {
    await send(world, max, "Hello");
    const { message } = await toHaveReceived.call({ isNot: true }, world, { path: "/messages" });
    assert.ok(message().includes(`received ${said}`), message());
  }
  await world.delete();
});

test("a count of several methods says how many requests each has", async () => {
  const world = await server.createWorld();
  const max = await world.user("max");
  await send(world, max, "Hello");
  await send(world, max, "Again");
  const one = await toHaveReceived.call({}, world, { path: "/messages", exactly: 1 });
  assert.doesNotMatch(one.message(), /Counted/);
  await fetch(`${world.url}/api/v1/messages?anchor=newest&num_before=1&num_after=0`);
  for (const [context, assertion] of [
    [{}, { path: "/messages", exactly: 1 }],
    [{ isNot: true }, { path: "/messages" }],
  ]) {
    const { message } = await toHaveReceived.call(context, world, assertion);
    assert.match(message(), /\nCounted: 2 POST, 1 GET$/);
  }
  const posted = await toHaveReceived.call({}, world, { method: "POST", path: "/messages", exactly: 1 });
  assert.doesNotMatch(posted.message(), /Counted/);
  await world.delete();
});
