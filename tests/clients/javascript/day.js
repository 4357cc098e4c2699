"use strict";

// A bot author's day with the stock JavaScript client, every reply and event asserted.
//
// Takes the base URL of a server that speaks the dialect `zulip` and holds the built-in organization. Prints a line
// `ok - …` for each check; ends at the first that fails with `not ok - …` and exit status 1.

const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { parseArgs } = require("node:util");

// The client replaces it.
const StandardFormData = globalThis.FormData;
const connect = require("zulip-js");

// The day takes no longer than this, even on a busy machine.
const LONGEST_DAY_MS = 180_000;

const { values, positionals } = parseArgs({
  options: { patience: { type: "string", default: "15" } },
  allowPositionals: true,
});
const site = positionals[0].replace(/\/$/, "");
const patienceMs = Number(values.patience) * 1000;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The reply of a successful call. */
async function succeed(promise, what) {
  const reply = await promise;
  assert.equal(reply.result, "success", `${what}: ${JSON.stringify(reply)}`);
  return reply;
}

/** The reply of a call that must fail in this way. */
async function fail(promise, code, msg, what) {
  const reply = await promise;
  assert.equal(reply.result, "error", `${what}: ${JSON.stringify(reply)}`);
  assert.equal(reply.code, code, `code of ${what}`);
  assert.equal(reply.msg, msg, `msg of ${what}`);
  return reply;
}

async function keyOf(email) {
  const body = new URLSearchParams({ username: email });
  const response = await fetch(`${site}/api/v1/dev_fetch_api_key`, { method: "POST", body });
  return (await succeed(response.json(), `dev_fetch_api_key for ${email}`)).api_key;
}

/** The events that the client's own event loop receives; they can be awaited. */
class Listener {
  constructor(zulip, who) {
    this.zulip = zulip;
    this.who = who;
    this.waiting = [];
    this.events = [];
  }

  /** Starts the loop, which never ends, and returns when its queue exists. */
  async start(types) {
    this.zulip.callOnEachEvent(
      (event) => {
        if (event.type === "heartbeat") return;
        this.events.push(event);
        this.waiting.forEach((look) => look());
      },
      [...types, "update_message_flags"],
    );
    // The loop does not report that it has registered: flags are changed until it receives an event.
    const latest = await this.zulip.messages.retrieve({ anchor: "newest", num_before: 1, num_after: 0 });
    const message = latest.messages.at(-1).id;
    const deadline = Date.now() + patienceMs;
    let isAdded = true;
    while (this.events.length === 0) {
      assert.ok(Date.now() < deadline, `${this.who} received no change of its own flags`);
      const change = isAdded ? this.zulip.messages.flags.add : this.zulip.messages.flags.remove;
      isAdded = !isAdded;
      await succeed(change({ messages: [message], flag: "starred" }), "messages.flags");
      await sleep(100);
    }
  }

  /** The next event of a type for which `fits` holds; others are skipped. */
  next(type, fits = () => true) {
    return new Promise((resolve, reject) => {
      const seen = [];
      let timer;
      const look = () => {
        while (this.events.length > 0) {
          const event = this.events.shift();
          if (event.type === type && fits(event)) {
            clearTimeout(timer);
            this.waiting = this.waiting.filter((other) => other !== look);
            resolve(event);
            return;
          }
          seen.push(`${event.type} ${event.op ?? ""}`.trim());
        }
      };
      timer = setTimeout(() => {
        this.waiting = this.waiting.filter((other) => other !== look);
        const waited = `within ${patienceMs / 1000} seconds; seen: ${JSON.stringify(seen)}`;
        reject(new Error(`${this.who} received no such event ${type} ${waited}`));
      }, patienceMs);
      this.waiting.push(look);
      look();
    });
  }

  message(content) {
    return this.next("message", (event) => event.message.content === content);
  }
}

/** Values that one check leaves for the next. */
const day = {};

const CHECKS = {
  async "fetch keys and connect"() {
    const connectAs = async (handle) => {
      const username = `${handle}@chat.test`;
      return connect({ username, apiKey: await keyOf(username), realm: site });
    };
    day.bot = await connectAs("build-bot");
    day.mel = await connectAs("mel");
    day.adam = await connectAs("adam");
    assert.equal(day.bot.config.apiURL, `${site}/api/v1`);
  },

  async "connect with a password and with a file"() {
    const byPassword = await connect({ username: "mel@chat.test", password: "mel-password-7421", realm: site });
    assert.equal(byPassword.config.apiKey, day.mel.config.apiKey);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "chatdouble-"));
    const zuliprc = path.join(folder, "zuliprc");
    fs.writeFileSync(zuliprc, `[api]\nemail=mel@chat.test\nkey=${day.mel.config.apiKey}\nsite=${site}\n`);
    const byFile = await connect({ zuliprc });
    fs.rmSync(folder, { recursive: true });
    assert.equal((await succeed(byFile.users.me.getProfile(), "getProfile")).email, "mel@chat.test");
  },

  async "read the server settings"() {
    const settings = await succeed(day.bot.server.settings(), "server.settings");
    assert.equal(settings.realm_name, "Chatdouble");
    assert.equal(settings.realm_uri, site);
    day.level = settings.zulip_feature_level;
    assert.ok(day.level >= 277, `level ${day.level}`);
    assert.equal(typeof settings.zulip_version, "string");
  },

  async "read one's own profile"() {
    const profile = await succeed(day.bot.users.me.getProfile(), "users.me.getProfile");
    assert.equal(profile.email, "build-bot@chat.test");
    assert.equal(profile.full_name, "Build Bot");
    assert.equal(profile.is_bot, true);
    day.botId = profile.user_id;
    day.melId = (await succeed(day.mel.users.me.getProfile(), "users.me.getProfile")).user_id;
  },

  async "list the members"() {
    const plain = await succeed(day.bot.users.retrieve(), "users.retrieve");
    const mel = plain.members.find((member) => member.email === "mel@chat.test");
    assert.equal(mel.user_id, day.melId);
    assert.equal(mel.profile_data, undefined);
    const params = { client_gravatar: true, include_custom_profile_fields: true };
    const full = await succeed(day.bot.users.retrieve(params), "users.retrieve");
    assert.ok(full.members.find((member) => member.user_id === day.melId).profile_data);
  },

  async "list the channels"() {
    const { streams } = await succeed(day.bot.streams.retrieve({ include_subscribed: true }), "streams.retrieve");
    day.channels = Object.fromEntries(streams.map((stream) => [stream.name, stream.stream_id]));
    for (const name of ["general", "engineering", "quiet"]) assert.ok(name in day.channels, name);
    assert.ok(!("leadership" in day.channels), "a private channel should not be listed");
    const found = await succeed(day.bot.streams.getStreamId("quiet"), "streams.getStreamId");
    assert.equal(found.stream_id, day.channels.quiet);
    const { topics } = await succeed(
      day.bot.streams.topics.retrieve({ stream_id: day.channels.engineering }),
      "streams.topics.retrieve",
    );
    assert.ok(
      topics.some((topic) => topic.name === "builds"),
      JSON.stringify(topics),
    );
  },

  async "subscribe and unsubscribe"() {
    const names = async () => {
      const reply = await succeed(day.bot.streams.subscriptions.retrieve(), "streams.subscriptions.retrieve");
      return reply.subscriptions.map((subscription) => subscription.name).sort();
    };
    assert.deepEqual(await names(), ["engineering", "general"]);
    const subscriptions = JSON.stringify([{ name: "quiet" }]);
    const added = await succeed(day.bot.users.me.subscriptions.add({ subscriptions }), "users.me.subscriptions.add");
    assert.deepEqual(Object.values(added.subscribed), [["quiet"]]);
    assert.deepEqual(await names(), ["engineering", "general", "quiet"]);
    const removed = await succeed(
      day.bot.users.me.subscriptions.remove({ subscriptions: JSON.stringify(["quiet"]) }),
      "users.me.subscriptions.remove",
    );
    assert.deepEqual(removed.removed, ["quiet"]);
    assert.deepEqual(await names(), ["engineering", "general"]);
  },

  async "register a queue"() {
    const params = { event_types: ["message"], narrow: [["stream", "engineering"]], idle_queue_timeout: '"mobile"' };
    const state = await succeed(day.bot.queues.register(params), "queues.register");
    assert.equal(state.last_event_id, -1);
    day.queueId = state.queue_id;
    const nothing = { queue_id: day.queueId, last_event_id: -1, dont_block: true };
    assert.deepEqual((await succeed(day.bot.events.retrieve(nothing), "events.retrieve")).events, []);
  },

  async "receive what others send"() {
    day.botHears = new Listener(day.bot, "the bot");
    day.melHears = new Listener(day.mel, "mel");
    await day.botHears.start(["message"]);
    await day.melHears.start(["message", "reaction", "update_message", "delete_message", "typing"]);
    const content = "Is the build green?";
    const params = { type: "stream", to: "engineering", topic: "builds", content };
    const sent = await succeed(day.mel.messages.send(params), "messages.send");
    day.question = sent.id;
    if (day.level >= 508)
      assert.equal(sent.message_link, `[#${params.to} > ${params.topic} @ 💬](${sent.message_url})`);
    const { message, flags } = await day.botHears.message(content);
    assert.equal(message.id, day.question);
    assert.equal(message.sender_email, "mel@chat.test");
    assert.equal(message.display_recipient, "engineering");
    assert.equal(message.subject, "builds");
    assert.equal(message.stream_id, day.channels.engineering);
    assert.deepEqual(flags, []);
  },

  async react() {
    const reaction = { message_id: day.question, emoji_name: "octopus" };
    await succeed(day.bot.reactions.add(reaction), "reactions.add");
    const event = await day.melHears.next("reaction");
    assert.equal(event.op, "add");
    assert.equal(event.message_id, day.question);
    assert.equal(event.user_id, day.botId);
    assert.equal(event.emoji_name, "octopus");
    assert.equal(event.emoji_code, "1f419");
    assert.equal(event.reaction_type, "unicode_emoji");
    await fail(day.bot.reactions.add(reaction), "REACTION_ALREADY_EXISTS", "Reaction already exists.", "reactions.add");
  },

  async "take the reaction back"() {
    const params = { message_id: day.question, emoji_code: "1f419", reaction_type: "unicode_emoji" };
    await succeed(day.bot.reactions.remove(params), "reactions.remove");
    const event = await day.melHears.next("reaction");
    assert.equal(event.op, "remove");
    assert.equal(event.message_id, day.question);
    // The client's other method, which sends the id in the query string and in the path.
    const extra = { message_id: day.question, emoji_name: "zulip", reaction_type: "zulip_extra_emoji" };
    await succeed(day.bot.reactions.add(extra), "reactions.add");
    assert.equal((await day.melHears.next("reaction")).reaction_type, "zulip_extra_emoji");
    await succeed(day.bot.messages.deleteReactionById(extra), "messages.deleteReactionById");
    assert.equal((await day.melHears.next("reaction")).op, "remove");
  },

  async "send to a channel and directly"() {
    const content = "It is **green**.";
    const params = { type: "stream", to: day.channels.engineering, topic: "builds", content };
    day.reply = (await succeed(day.bot.messages.send(params), "messages.send")).id;
    assert.equal((await day.melHears.message(content)).message.id, day.reply);
    for (const [to, how] of [
      ["mel@chat.test", "by address"],
      [[day.melId], "by id"],
    ]) {
      const sent = await succeed(day.bot.messages.send({ type: "private", to, content: how }), `messages.send ${how}`);
      const { message } = await day.melHears.message(how);
      assert.equal(message.id, sent.id);
      assert.deepEqual(message.display_recipient.map((person) => person.id).sort(), [day.botId, day.melId].sort());
      day.direct = sent.id;
    }
  },

  async "fetch messages"() {
    const narrows = [
      [
        { operator: "channel", operand: "engineering" },
        { operator: "topic", operand: "builds" },
      ],
      [
        { operator: "stream", operand: "engineering" },
        { operator: "topic", operand: "builds" },
      ],
      [
        ["stream", "engineering"],
        ["topic", "builds"],
      ],
    ];
    for (const narrow of narrows) {
      const params = { anchor: "newest", num_before: 2, num_after: 0, narrow, apply_markdown: false };
      const found = await succeed(day.bot.messages.retrieve(params), "messages.retrieve");
      assert.deepEqual(
        found.messages.map((message) => message.id),
        [day.question, day.reply],
      );
      assert.equal(found.messages[1].content, "It is **green**.");
      assert.equal(found.found_newest, true);
    }
    // The largest number that the client's documentation recommends as the anchor of the newest message.
    const params = { anchor: 1000000000, num_before: 1, num_after: 0, narrow: [["pm-with", "mel@chat.test"]] };
    const found = await succeed(day.bot.messages.retrieve(params), "messages.retrieve");
    assert.deepEqual(
      found.messages.map((message) => message.id),
      [day.direct],
    );
    const one = await succeed(day.bot.messages.getById({ message_id: day.reply }), "messages.getById");
    assert.equal(one.message.content, "<p>It is <strong>green</strong>.</p>");
  },

  async "edit a message"() {
    await succeed(day.bot.messages.update({ message_id: day.reply, content: "It is *red*." }), "messages.update");
    const event = await day.melHears.next("update_message");
    assert.equal(event.message_id, day.reply);
    assert.equal(event.rendered_content, "<p>It is <em>red</em>.</p>");
    const params = { message_id: day.reply };
    const history = (await succeed(day.bot.messages.getHistoryById(params), "messages.getHistoryById")).message_history;
    assert.deepEqual(
      history.map((each) => each.content),
      ["It is **green**.", "It is *red*."],
    );
  },

  async "change flags"() {
    const change = { messages: [day.question, day.reply], flag: "starred" };
    const changed = await succeed(day.bot.messages.flags.add(change), "messages.flags.add");
    assert.deepEqual(changed.messages.sort(), [day.question, day.reply].sort());
    const isOfBoth = (event) => event.messages.length === 2;
    assert.equal((await day.botHears.next("update_message_flags", isOfBoth)).op, "add");
    await succeed(day.bot.messages.flags.remove(change), "messages.flags.remove");
    assert.equal((await day.botHears.next("update_message_flags", isOfBoth)).op, "remove");
  },

  async "upload and download"() {
    const content = Buffer.concat([
      Buffer.from(Array.from({ length: 77_777 }, (_, i) => i % 256)),
      Buffer.from("\r\n"),
    ]);
    const body = new StandardFormData();
    body.append("file", new Blob([content]), "Prüfung log.bin");
    const authorized = (zulip) => {
      const credentials = Buffer.from(`${zulip.config.username}:${zulip.config.apiKey}`).toString("base64");
      return { Authorization: `Basic ${credentials}` };
    };
    const options = { method: "POST", headers: authorized(day.bot), body };
    const uploaded = await succeed((await fetch(`${site}/api/v1/user_uploads`, options)).json(), "user_uploads");
    assert.equal(uploaded.filename, "Prüfung log.bin");
    assert.equal(uploaded.uri, uploaded.url);
    const bytes = async (address, headers) => {
      const response = await fetch(site + address, { headers });
      assert.equal(response.status, 200, address);
      return Buffer.from(await response.arrayBuffer());
    };
    assert.ok(
      content.equals(await bytes(uploaded.url, authorized(day.bot))),
      "the download should be what was uploaded",
    );
    const temporary = await succeed(day.bot.callEndpoint(uploaded.url), "the temporary address");
    assert.ok(content.equals(await bytes(temporary.url)), "the temporary address should give what was uploaded");
    const params = { type: "stream", to: "engineering", topic: "builds", content: `[log](${uploaded.url})` };
    await succeed(day.bot.messages.send(params), "messages.send");
    await day.melHears.message(params.content);
    assert.ok(content.equals(await bytes(uploaded.url, authorized(day.mel))), "mel should get what was uploaded");
    assert.ok([401, 403].includes((await fetch(site + uploaded.url)).status), "nobody should without credentials");
  },

  async "type something"() {
    await succeed(day.bot.typing.send({ to: [day.melId], op: "start" }), "typing.send to one");
    const event = await day.melHears.next("typing");
    assert.equal(event.op, "start");
    assert.equal(event.sender.user_id, day.botId);
    const adam = (await day.adam.users.me.getProfile()).user_id;
    await succeed(day.bot.typing.send({ to: [day.melId, adam], op: "stop" }), "typing.send to two");
    assert.equal((await day.melHears.next("typing")).recipients.length, 3);
  },

  async "be present"() {
    const params = { status: "active", new_user_input: "true", ping_only: "false" };
    const reply = await succeed(day.adam.callEndpoint("/users/me/presence", "POST", params), "users/me/presence");
    assert.ok("mel@chat.test" in reply.presences, JSON.stringify(Object.keys(reply.presences)));
  },

  async render() {
    const { rendered } = await succeed(day.bot.messages.render("foo **bar**"), "messages.render");
    assert.equal(rendered, "<p>foo <strong>bar</strong></p>");
  },

  async "delete a message"() {
    await succeed(day.adam.messages.deleteById({ message_id: day.reply }), "messages.deleteById");
    const event = await day.melHears.next("delete_message");
    assert.deepEqual(event.message_ids ?? [event.message_id], [day.reply]);
    const gone = day.bot.messages.getById({ message_id: day.reply });
    await fail(gone, "BAD_REQUEST", "Invalid message(s)", "messages.getById of what was deleted");
  },

  async "poll and delete the queue"() {
    const poll = (last) => day.bot.events.retrieve({ queue_id: day.queueId, last_event_id: last });
    const { events } = await succeed(poll(-1), "events.retrieve");
    assert.ok(
      events.every((event) => event.message.display_recipient === "engineering"),
      JSON.stringify(events),
    );
    assert.deepEqual(
      events.map((event) => event.id),
      events.map((_, i) => i),
    );
    assert.equal(events[0].message.id, day.question);
    assert.deepEqual((await succeed(poll(0), "events.retrieve")).events, events.slice(1));
    await succeed(day.bot.queues.deregister({ queue_id: day.queueId }), "queues.deregister");
    const gone = await fail(
      poll(0),
      "BAD_EVENT_QUEUE_ID",
      `Bad event queue ID: ${day.queueId}`,
      "events.retrieve after deregister",
    );
    assert.equal(gone.queue_id, day.queueId);
  },

  async "get errors for mistakes"() {
    const stranger = await connect({ username: "build-bot@chat.test", apiKey: "x".repeat(32), realm: site });
    await succeed(stranger.server.settings(), "server.settings with a wrong key");
    const refusal = await stranger.users.me.getProfile();
    assert.ok(["UNAUTHORIZED", "INVALID_API_KEY"].includes(refusal.code), JSON.stringify(refusal));
    const params = { type: "stream", to: "nowhere", topic: "lost", content: "Hello?" };
    await fail(
      day.bot.messages.send(params),
      "STREAM_DOES_NOT_EXIST",
      "Channel 'nowhere' does not exist",
      "messages.send",
    );
    assert.equal((await day.bot.callEndpoint("no_such_operation")).result, "error");
  },
};

async function live() {
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      await check();
    } catch (error) {
      console.log(`not ok - ${name}: ${error.stack}`);
      return 1;
    }
    console.log(`ok - ${name}`);
  }
  return 0;
}

setTimeout(() => {
  console.log(`not ok - the day took more than ${LONGEST_DAY_MS / 1000} seconds`);
  process.exit(1);
}, LONGEST_DAY_MS);
// An explicit exit, since the client's event loops never end.
live().then((status) => process.exit(status));
