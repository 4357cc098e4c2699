// A recording as a scenario that plays again: numbers become names, what came is what is expected.
import { CLIENT } from "./control.js";
import { isHeardBefore, isUnheard, pollsOf, presenceOf } from "./heard.js";
import { handle, listed } from "./lib.js";
import { Names } from "./names.js";
import { isSilent } from "./others.js";
import { stepsInside } from "./outside.js";
import { Steering } from "./steering.js";
import { block, parameter, value } from "./steps.js";
import { EPSILON_S, instantText, isWhole, placeholderSpan } from "./storytime.js";
import { describeStep } from "./telling.js";

const OBSERVED = ["message", "update_message", "delete_message", "reaction", "subscription", "stream"];
/** Without the first one, older levels refuse to register. */
const CAPABILITIES = { notification_settings_null: true, bulk_message_deletion: true, empty_topic_name: true };
/** How long a queue stays without a poll, in seconds, unless the client asks for another time. */
const IDLE_S = 600;
const DAY_S = 86400;
/** How long a queue of the story stays that was polled all the time: the longest time that the API allows, in seconds. */
const QUEUE_S = 7 * DAY_S;
/** From this feature level on, clients may say how long their queues stay. */
const IDLE_LEVEL = 481;

/** The body that a refused step expects: the code and the message, where the server gave them. */
function refusalLines({ code, ...step }, names) {
  const expected = { ...(code ? { code } : {}), ...names.refusal(step) };
  return Object.keys(expected).length ? [JSON.stringify(expected)] : [];
}

/** What an event must have for an observer, as briefly as possible. */
function expectation(event, names) {
  const said = (id) => {
    const name = names.message(id);
    return name.startsWith("{{") ? name : Number(name);
  };
  if (event.type === "message")
    return {
      type: "message",
      message: {
        ...(names.kept.has(event.message.id)
          ? { id: said(event.message.id) }
          : {
              id: names.newMessage(event.message.id),
              sender_full_name: event.message.sender_full_name.replaceAll("{{", "\\{{"),
            }),
        subject: event.message.subject.replaceAll("{{", "\\{{"),
        ...names.content(event.message.content),
      },
    };
  if (event.type === "reaction")
    return { type: "reaction", op: event.op, emoji_name: event.emoji_name, message_id: said(event.message_id) };
  if (event.type === "delete_message") {
    const ids = (event.message_ids ?? [event.message_id]).map(said);
    const isNamed = ids.every((id) => typeof id === "string");
    const about = event.message_ids ? { message_ids: ids } : { message_id: ids[0] };
    return { type: "delete_message", ...(isNamed ? about : {}) };
  }
  if (event.type === "subscription" || event.type === "stream") return channelExpectation(event);
  const topic = event.topic ?? event.subject;
  return {
    type: "update_message",
    message_id: said(event.message_id),
    ...names.content(event.content),
    ...(topic !== undefined ? { subject: topic.replaceAll("{{", "\\{{") } : {}),
    ...(event.new_stream_id ? { new_stream_id: names.channel(event.new_stream_id) } : {}),
  };
}

/** What an event about channels must have: which ones appear or disappear, or which property of one changes. */
function channelExpectation({ type, op, property, name, subscriptions, streams }) {
  const named = (list) =>
    list?.map((one) => (one.name === undefined ? {} : { name: one.name.replaceAll("{{", "\\{{") }));
  const expected = { type, op, property, subscriptions: named(subscriptions), streams: named(streams) };
  if (property !== undefined && name !== undefined) expected.name = name.replaceAll("{{", "\\{{");
  return expected;
}

/** The events of things that fell due in a jump and that the story has as well, by `isInside`. */
function dueEvents(recording, world, index, isInside) {
  const step = recording.steps[index];
  const later = recording.steps.slice(index + 1).find((one) => one.serial !== undefined);
  const times = new Set(step.fired.filter(isInside).map((item) => item.at));
  const events = world.seen
    .filter(({ kind, serial }) => kind === "event" && serial >= step.serial && serial < (later?.serial ?? Infinity))
    .map(({ frame, serial }) => ({ ...frame, serial }))
    .filter(({ at }) => times.has(at));
  // Of what fell due at the same instant, the events come one after the other, and end with that of the removal.
  const inside = [];
  let one = [];
  for (const frame of events) {
    one.push(frame);
    const { type, op, ...removed } = frame.event;
    if (op !== "remove" || !["reminders", "scheduled_messages"].includes(type)) continue;
    if (isInside({ kind: type.replace(/s$/, ""), ...removed })) inside.push(...one);
    one = [];
  }
  return [...inside, ...one].filter(({ event }) => OBSERVED.includes(event.type));
}

/** The entries of the live view that belong to steps. */
function entriesOf(steps, world) {
  const entries = world.seen.filter((entry) => entry.kind === "request" && entry.real);
  let from = 0;
  return steps.map((step) => {
    if (step.kind !== "request") return null;
    const at = entries.findIndex(
      (entry, index) =>
        index >= from &&
        entry.frame.user === step.user &&
        entry.frame.method === step.method &&
        entry.frame.path === step.path &&
        // A repetition by the browser may come just before the next request; no reply of it reached the client.
        (step.status === 0 || entry.frame.status === step.status) &&
        entry.real >= step.began - 50,
    );
    if (at < 0) return null;
    from = at + 1;
    return entries[at];
  });
}

/** The Markdown of one recording. */
class Story {
  /** Blocks as texts, paragraphs, and functions for what depends on which queues the story reads. */
  out = [];
  #queues = new Map();
  /** The queues that the story reads, and the names that those have in it. */
  #read = new Set();
  #named = new Map();
  /** Those who have a client in a pane. */
  #here = new Set();
  /** When a queue was last polled, in the story's time. */
  #polled = new Map();
  #snapshots = new Map();
  /** Who has a network that is offline; null for everybody. */
  #offline = new Set();
  /** Who is deactivated: their polls are refused. */
  #inactive = new Set();
  /** Events of people who are offline or deactivated: they come when that ends, unless their queue is lost. */
  #held = [];
  #lost = new Set();
  /** Who has a queue that ended, and why: the next poll of their client finds it out. */
  #ended = new Map();
  #polls = new Map();
  /** The people of which a sentence said why their queues stay so long. */
  #explained = new Set();
  /** What happened between the steps, oldest first: clients found out that their queue was lost, began and ended. */
  #changes;
  /** By queue: the longest time without a poll that it outlasted, and the one that ended it, in seconds. */
  fates = new Map();

  /** `times` are the times without a poll that queues stay, in seconds, by their names; without, all stay long. */
  constructor(recording, world, { before, observers, people, fixture }, times = null) {
    Object.assign(this, { recording, world, observers, times });
    this.names = new Names(world, before, recording.state.channels);
    this.entries = entriesOf(recording.steps, world);
    const dueIn = (index, isInside) => dueEvents(recording, world, index, isInside);
    this.steps = stepsInside(recording, { before, world, entries: this.entries, dueIn });
    const frames = this.steps.flatMap((step) => step.frames ?? []);
    const receives = (email) => frames.some((frame) => this.#isTo(frame, email));
    /** Those who have a queue in the story: the observers, and who received something in a jump. */
    this.watchers = [...observers, ...people.filter((email) => !observers.includes(email) && receives(email))];
    this.steering = new Steering(world, this.watchers, recording.rules);
    /** The story's time: the world's, off by less than a second if the world's clock ran. */
    this.now = fixture ? recording.state.now : beginningOf(recording.state);
    this.longest = recording.state.level !== null && recording.state.level < IDLE_LEVEL ? IDLE_S : QUEUE_S;
    const { state, rules } = recording;
    for (const email of this.watchers) this.#polls.set(email, pollsOf(email, world, state.serial, rules));
    const lossesOf = (email) =>
      this.#polls
        .get(email)
        .filter(({ isLoss }) => isLoss)
        .map(({ serial, rule }) => ({ email, serial, rule }));
    this.#changes = [...observers.flatMap(lossesOf), ...this.watchers.flatMap((email) => this.#comings(email))].sort(
      (one, other) => one.serial - other.serial,
    );
  }

  /** When somebody's clients begin and end during the story. */
  #comings(email) {
    const times = presenceOf(email, this.recording.seats, this.world);
    if (times[0]?.from === -Infinity) this.#here.add(email);
    return times
      .flatMap(({ from, to }) => [
        { email, serial: from, isHere: true },
        { email, serial: to, isHere: false },
      ])
      .filter(({ serial }) => Number.isFinite(serial));
  }

  /** Adds a paragraph, between blank lines. */
  #say(said) {
    this.out.push({ said });
  }

  /** The text of the story, when all of it is there. */
  text() {
    const lines = [];
    const add = (part) => {
      if (typeof part === "function") part().forEach(add);
      else if (typeof part === "string") lines.push(part);
      else lines.push(`${/(^|\n)$/.test(lines.at(-1) ?? "") ? "" : "\n"}${part.said}\n`);
    };
    this.out.forEach(add);
    return `${lines.join("\n")}\n`;
  }

  /** Whether a client did not receive what happened then, or an event of it: its next poll found that its queue was lost. */
  #isMissed(email, serial, event) {
    const polls = this.#polls.get(email);
    const next = polls.find((poll) => poll.serial >= serial);
    return Boolean(next?.isLoss) && !(event && isHeardBefore(polls, event, serial));
  }

  #idle(email) {
    return Math.min(this.times?.get(this.#queue(email)) ?? QUEUE_S, this.longest);
  }

  #isEnded(email, at) {
    return !this.#lost.has(email) && at - this.#polled.get(email) >= this.#idle(email);
  }

  /** A client takes what its queue has. */
  #poll(email) {
    const fate = this.fates.get(this.#queue(email));
    if (fate) fate.outlasted = Math.max(fate.outlasted, this.now - this.#polled.get(email));
    this.#polled.set(email, this.now);
  }

  /** The clients of those who are there from the beginning. */
  begin() {
    for (const email of this.observers) if (this.#here.has(email)) this.observe(email);
  }

  /** What changed for clients before something happened. */
  changes(before) {
    while (this.#changes[0]?.serial < before) {
      const change = this.#changes.shift();
      if (change.isHere === undefined) this.#loss(change);
      else if (change.isHere) this.#come(change.email);
      else this.#go(change.email);
    }
  }

  /** Somebody has a client in a pane from here on. */
  #come(email) {
    this.#here.add(email);
    if (this.observers.includes(email)) this.observe(email, `The client of ${handle(email)} begins here.`);
  }

  /** Nobody acts as somebody any more: their queue is not polled. */
  #go(email) {
    const queue = this.#queue(email);
    for (const about of [this.#here, this.#lost, this.#ended]) about.delete(email);
    this.#held = this.#held.filter(([one]) => one !== email);
    const said = `The client of ${handle(email)} ends here.`;
    if (this.observers.includes(email)) this.out.push(() => (this.#named.has(queue) ? [{ said }] : []));
  }

  /** A client finds out that its queue is lost, and registers again. */
  #loss({ email, rule }) {
    if (!this.#here.has(email) || this.#lost.has(email) || !this.#queues.has(email)) return;
    const why = this.#ended.get(email);
    const queue = this.#queue(email);
    const gap = this.now - this.#polled.get(email);
    if (!rule && (!why || why === "expired")) this.fates.get(queue).ended = gap;
    if (rule || (!why && gap < this.#idle(email))) {
      this.#say(`The server loses the event queue of ${handle(email)}.`);
      this.out.push(...this.steering.losing(email, rule));
    }
    this.#say(`The next poll of ${handle(email)} finds out that the queue is gone; the client registers again.`);
    this.#reads(queue, (name) =>
      block("request", [`${handle(email)}: GET /events`, `queue_id: {{${name}.queue_id}}`, "last_event_id: -1"]),
    );
    this.out.push(block("reply 400", [JSON.stringify({ code: "BAD_EVENT_QUEUE_ID" })]));
    this.#held = this.#held.filter(([one]) => one !== email);
    this.observe(email);
    // The sentence says that the client registers, whatever it receives then.
    if (!this.#lost.has(email)) this.#read.add(this.#queue(email));
  }

  /** Adds a block that reads a queue, by the queue's name. */
  #reads(queue, written) {
    this.#read.add(queue);
    this.out.push(() => [written(this.#named.get(queue))]);
  }

  #isTo(frame, email) {
    return frame.users.includes(this.world.byEmail.get(email)?.user_id);
  }

  #queue = (email) => `${handle(email)} ${this.#queues.get(email)}`;

  #isOffline(email) {
    return this.#offline.has(null) || this.#offline.has(handle(email)) || this.#inactive.has(email);
  }

  /** A client registers. `said` is a sentence about that, `renewed` one for a queue that follows another one. */
  observe(email, said = null, renewed = null) {
    if (this.#isOffline(email)) {
      this.#lost.add(email);
      this.#held = this.#held.filter(([one]) => one !== email);
      return;
    }
    this.#queues.set(email, (this.#queues.get(email) ?? 0) + 1);
    this.#polled.set(email, this.now);
    this.#ended.delete(email);
    this.fates.set(this.#queue(email), { outlasted: 0, ended: null });
    const queue = this.#queue(email);
    const idle = this.#idle(email);
    this.out.push(() => (this.#read.has(queue) ? this.#queueParts(email, queue, idle, { said, renewed }) : []));
  }

  /** The queue of a client, with a number among those that the story reads. */
  #queueParts(email, queue, idle, { said, renewed }) {
    const number = 1 + [...this.#named.values()].filter((name) => name.startsWith(`${handle(email)} `)).length;
    const name = `${handle(email)} ${number}`;
    this.#named.set(queue, name);
    const sentences = [said, number > 1 ? renewed : null];
    if (idle === QUEUE_S && !this.#explained.has(email)) {
      this.#explained.add(email);
      sentences.push(`The client of ${handle(email)} polls all the time, so jumps of the clock do not end its queue.`);
    }
    return [
      ...sentences.filter(Boolean).map((sentence) => ({ said: sentence })),
      block(`queue ${name}`, [
        `event_types: ${JSON.stringify(OBSERVED)}`,
        ...(idle === IDLE_S ? [] : [`idle_queue_timeout: ${idle}`]),
        `client_capabilities: ${JSON.stringify(CAPABILITIES)}`,
      ]),
    ];
  }

  #expect(email, event, serial) {
    if (!this.#here.has(email)) return;
    if (this.#lost.has(email) || this.#ended.has(email) || this.#isMissed(email, serial, event)) return;
    if (isUnheard(this.#polls.get(email), event, serial)) return;
    if (this.#isOffline(email)) {
      this.#held.push([email, event, serial]);
      return;
    }
    this.#poll(email);
    const expected = JSON.stringify(expectation(event, this.names));
    this.#reads(this.#queue(email), (name) => block(`event ${name}`, [expected]));
  }

  /** Follows who is offline, and takes what those who no longer are have missed. */
  #connect({ method, path, body, serial }) {
    const [place, query] = path.split("?");
    if (place !== "/network") return;
    const given = body?.user ?? new URLSearchParams(query).get("user");
    const user = given ? handle(given) : null;
    if (method === "DELETE" && user === null) this.#offline.clear();
    else if (method === "POST" && body.profile === "offline") this.#offline.add(user);
    else this.#offline.delete(user);
    this.#resume(serial);
  }

  /** Those who are online again take what they have missed, unless their queue ended meanwhile. */
  #resume(since) {
    for (const email of [...this.#lost])
      if (!this.#isOffline(email)) {
        this.#lost.delete(email);
        this.observe(email);
      }
    const held = this.#held;
    this.#held = [];
    for (const [email, event, serial] of held)
      if (this.#isOffline(email)) this.#held.push([email, event, serial]);
      else if (since === undefined || !this.#isMissed(email, since)) this.#expect(email, event, serial);
  }

  /**
   * The story's time at which something has happened. A clock that ran was stopped by nobody at that very instant: the story
   * goes there in whole seconds.
   */
  #after(at) {
    return this.recording.state.running ? this.now + Math.ceil(at - this.now - EPSILON_S) : at;
  }

  #advance(to) {
    const seconds = to - this.now;
    if (seconds < EPSILON_S) return;
    this.out.push(block("control", [`clock ${isWhole(seconds) ? `+${placeholderSpan(seconds)}` : instantText(to)}`]));
    this.now = to;
  }

  /**
   * A jump, with the events of what fell due in it. It stops where a queue would end before its events are taken, and a
   * queue that would end before its next event is made again.
   */
  jump(step) {
    const { frames } = step;
    this.#say(describeStep(step, this.world));
    const to = this.#after(step.to);
    const receives = (frame, email) => this.#isTo(frame, email) && !this.#isMissed(email, frame.serial, frame.event);
    const here = this.watchers.filter((email) => this.#here.has(email));
    const watchers = here.filter((email) => frames.some((frame) => receives(frame, email)));
    for (const email of watchers) if (!this.observers.includes(email)) this.observe(email);
    let waiting = [];
    const take = () => {
      for (const [email, event, serial] of waiting) this.#expect(email, event, serial);
      waiting = [];
    };
    for (const [instant, moment] of Map.groupBy(frames, (frame) => this.#after(frame.at))) {
      const received = moment.flatMap((frame) =>
        watchers.filter((email) => receives(frame, email)).map((email) => [email, frame.event, frame.serial]),
      );
      const receivers = [...new Set(received.map(([email]) => email))];
      // All queues are there before the moment, whoever takes its events first.
      const ended = receivers.filter((email) => this.#isEnded(email, moment[0].at));
      if (ended.length > 0) {
        this.#advance(this.now + Math.floor(moment[0].at - this.now) - 1);
        take();
        for (const email of ended) this.observe(email);
      }
      waiting.push(...received);
      if (!receivers.some((email) => this.#isEnded(email, to))) continue;
      this.#advance(instant);
      take();
    }
    this.#advance(to);
    take();
    for (const email of this.observers.filter((one) => this.#here.has(one))) {
      if (!this.#isEnded(email, this.now) || this.#ended.has(email)) continue;
      if (this.#isMissed(email, step.serial)) this.#ended.set(email, "expired");
      else if (this.#idle(email) === this.longest) this.#renew(email);
    }
  }

  /** A client that polled all the time kept its queue in a jump; in the story it has a new one. */
  #renew(email) {
    const renewed = `At this level no queue stays that long without a poll: ${handle(email)} has a new one after the jump.`;
    this.observe(email, null, this.longest < QUEUE_S ? renewed : null);
  }

  /** `said` is a sentence for several steps, and empty for those after the first. */
  control(step, said = describeStep(step, this.world)) {
    if (said) this.#say(said);
    if (step.path.startsWith("/queues/")) {
      this.#lose(step);
      return;
    }
    this.out.push(...this.steering.blocks(step));
    const restored = step.path.match(/^\/snapshots\/(.+)\/restore$/)?.[1];
    if (step.path === "/snapshots" && step.body)
      this.#snapshots.set(step.body.name, { now: this.now, inactive: new Set(this.#inactive) });
    this.#connect(step);
    if (restored) this.#restore(this.#snapshots.get(decodeURIComponent(restored)), step.made);
  }

  #restore(snapshot, made) {
    this.now = snapshot?.now ?? this.now;
    this.#inactive = new Set(snapshot?.inactive);
    this.names.keep(made);
    // Clients find out with their next poll that a restore ended their queues.
    for (const email of this.observers.filter((one) => this.#here.has(one))) {
      if (!this.#isOffline(email)) this.#lost.delete(email);
      this.#ended.set(email, "restored");
    }
  }

  /** A queue that control ends: the story has those of the observers. */
  #lose({ queue }) {
    if (!this.observers.includes(queue.user) || this.#lost.has(queue.user)) return;
    this.out.push(...this.steering.losing(queue.user));
    this.#ended.set(queue.user, "deleted");
  }

  /** A sentence for a step that can't be played. */
  leave(step) {
    this.#say(`Left out, since it acts on what is not in the story: ${this.names.prose(step)}`);
  }

  request(step, entry) {
    const { names, out } = this;
    this.#say(names.prose(step));
    if (!this.#isOffline(step.user)) out.push(...this.steering.meeting(step, entry));
    const lines = [`${handle(step.user)}: ${step.method} ${names.path(step.path)}`];
    if (step.file) lines.push(`file ${step.file.name}: ${value(step.file.text)}`);
    for (const [name, given] of Object.entries(step.params))
      lines.push(parameter(name, names.parameter(name, given, this.now)));
    out.push(block("request", lines));
    if (step.status !== 200)
      out.push(
        block(step.status ? `reply ${step.status}` : "reply none", step.status ? refusalLines(step, names) : []),
      );
    else if (step.path === "/messages" && step.method === "POST")
      out.push(block("reply", [`{"id": "${names.newMessage(step.reply.id)}"}`]));
    else if (step.path === "/user_uploads") {
      // Levels below 272 have the older name.
      const key = step.reply.url === undefined ? "uri" : "url";
      out.push(block("reply", [`{"${key}": "{{prefix}}{{${names.file(step.reply[key])} := string}}"}`]));
    }
    for (const frame of entry?.events ?? [])
      for (const email of this.observers)
        if (OBSERVED.includes(frame.event.type) && this.#isTo(frame, email))
          this.#expect(email, frame.event, entry.serial);
    if (step.status === 200) for (const email of this.observers) this.#activate(email, step, entry);
  }

  /** The queue of a deactivated person stays, but nothing can be polled from it before they are active again. */
  #activate(email, { method, path }, entry) {
    const id = this.world.byEmail.get(email)?.user_id;
    if (method === "DELETE" && [`/users/${id}`, `/bots/${id}`].includes(path)) this.#inactive.add(email);
    if (method !== "POST" || path !== `/users/${id}/reactivate`) return;
    this.#inactive.delete(email);
    this.#resume(entry?.serial);
  }
}

/** The time at which a story begins: that of its world, or in whole seconds after its start if the clock ran. */
const beginningOf = ({ now, start, running }) =>
  running && start !== null ? start + Math.floor(now - start + EPSILON_S) : now;

/** The lines of the story's world: none where it is played in the built-in organization as it is. */
function worldLines({ state, steps }, world, fixture) {
  const isDated = steps.some((step) => step.kind === "jump" || "scheduled_delivery_timestamp" in (step.params ?? {}));
  const { dialect } = world;
  const clock = fixture ? state.now : isDated ? state.start : null;
  return [
    fixture && `fixture: ${fixture}`,
    state.level !== null && `feature_level: ${state.level}`,
    dialect === "zulip" && "dialect: zulip",
    clock !== null && `clock: ${instantText(clock)}`,
  ].filter(Boolean);
}

/** How long the queues of a story stay: what they outlasted, and not what ended them, where both are possible. */
function timesOf(fates) {
  const times = [...fates].map(([queue, { outlasted, ended }]) => {
    const least = Math.max(IDLE_S, outlasted + 1);
    const isPossible = outlasted < IDLE_S || (ended !== null && least <= ended);
    return [queue, isPossible ? least : QUEUE_S];
  });
  return new Map(times);
}

/** The requests by which other clients changed something during the recording, in words. */
function othersSince(serial, world) {
  const changed = ({ kind, serial: at, frame }) =>
    kind === "request" && at >= serial && frame.client !== CLIENT && frame.status === 200 && !isSilent(frame);
  return world.seen
    .filter(changed)
    .map(({ frame }) => `${frame.method} ${frame.path} of ${handle(frame.user) || "nobody"}, by another client`);
}

/** What was done and is not in the story, in words. */
function omittedFrom({ omitted, steps, state }, observers, world) {
  const others = steps.filter(({ queue }) => queue && !observers.includes(queue.user));
  const names = listed(observers.map(handle));
  return [
    ...omitted,
    ...othersSince(state.serial, world),
    ...others.map(({ queue }) => `the lost queue of ${handle(queue.user)}, since the story has those of ${names}`),
  ];
}

/**
 * The Markdown of a recording, what of it could not be described, and the steps that are left out, in words. `before` are the
 * messages as they were, `observers` the addresses of those whose events are expected, `people` those of all who acted in the panes, `fixture`
 * the name of a file with the world's state, `needs` what was changed before, in words.
 */
export function scenarioOf(recording, world, options) {
  // The first one shows how long each queue has to stay.
  const { fates } = storyOf(recording, world, options, null);
  const story = storyOf(recording, world, options, timesOf(fates));
  const left = story.steps.filter((step) => step.isLeft).map((step) => describeStep(step, world).replace(/\.$/, ""));
  return { text: story.text(), omitted: omittedFrom(recording, options.observers, world), left };
}

/** What a story says of the world in which it begins. */
function beginning(needs, fixture) {
  if (fixture) return [`It begins in the world as it was then, which is in ${fixture}.`, ""];
  if (!needs.length) return [];
  const why = `It began in a world that was not as the built-in organization is: ${value(needs.join("; "))}.`;
  return [`${why} Steps that need this are answered otherwise without the state of that world (\`fixture:\`).`, ""];
}

const isRemoval = (step) => step?.kind === "control" && step.method === "DELETE" && /^\/faults\/./.test(step.path);

/** The sentence for several faults that are removed one after the other: empty for all but the first one, none for a single one. */
function removals(steps, index) {
  if (!isRemoval(steps[index])) return undefined;
  if (isRemoval(steps[index - 1])) return "";
  const after = steps.findIndex((step, at) => at > index && !isRemoval(step));
  const count = (after < 0 ? steps.length : after) - index;
  return count > 1 ? `${count} faults are removed.` : undefined;
}

function storyOf(recording, world, { title, before, observers, people, fixture, needs }, times) {
  const story = new Story(recording, world, { before, observers, people, fixture }, times);
  const { state } = recording;
  story.out.push(`# ${title}`, "", "Recorded in the console of chatdouble.", "", ...beginning(needs, fixture));
  const lines = worldLines(recording, world, fixture);
  if (lines.length) story.out.push(block("world", lines));
  // The world was older than the one that the story begins with.
  const age = beginningOf(state) - state.start;
  if (!fixture && age >= EPSILON_S && lines.some((line) => line.startsWith("clock:"))) {
    const to = isWhole(age) ? `+${placeholderSpan(age)}` : instantText(state.now);
    story.out.push(block("control", [`clock ${to}`]));
  }
  story.begin();
  for (const step of recording.before) story.control(step);
  story.steps.forEach((step, index) => {
    const entry = story.entries[index];
    story.changes(entry?.serial ?? step.serial ?? 0);
    if (step.isLeft) story.leave(step);
    else if (step.kind === "jump") story.jump(step);
    else if (step.kind === "control") story.control(step, removals(story.steps, index));
    else story.request(step, entry);
  });
  story.changes(Infinity);
  return story;
}
