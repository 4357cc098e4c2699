// What was clicked, as a scenario that plays again: numbers become names, what came is what is expected.
import { handle } from "./lib.js";
import { Steering, remaining } from "./steering.js";
import { block, parameter, value } from "./steps.js";

const OBSERVED = ["message", "update_message", "delete_message", "reaction"];
/** Without the first one, older levels refuse to register. */
const CAPABILITIES = { notification_settings_null: true, bulk_message_deletion: true, empty_topic_name: true };
const DAY_S = 86400;
/** How long the story's own queues stay without a poll: the longest time that the API allows, in seconds. */
const QUEUE_S = 7 * DAY_S;
/** How long before its world began the built-in organization was made, in seconds. */
const BUILT_IN_AGE_S = 365 * DAY_S;

/** The calls of control that a story tells of. */
const RECORDED = /^\/(clock|faults|network|rate_limit|snapshots)\b/;

/** Steps of one recording in a world, oldest first. */
export class Recording {
  steps = [];
  /** What was in force when it began, as calls of control. */
  before = [];
  rules = new Map();
  snapshots = new Set();
  /** Reminders and scheduled messages that the story has, since they were due when it began or a step made them. */
  due = new Set();
  state = null;

  /** Begins, or begins again, with the world as it is. */
  async begin(world) {
    Object.assign(this, { steps: [], before: [], rules: new Map(), snapshots: new Set(), due: new Set(), state: null });
    const [{ messages }, { state }, { networks }, { rate_limits: limits }] = await Promise.all(
      ["/messages?limit=1000", "/state", "/network", "/rate_limit"].map((path) => world.call("GET", path)),
    );
    this.rules = new Map([...remaining(world.faults), ...this.rules]);
    this.before = [
      ...remaining(world.faults).map(([id, body]) => ({ method: "POST", path: "/faults", body, id })),
      ...networks.map((body) => ({ method: "POST", path: "/network", body })),
      ...limits.map((body) => ({ method: "POST", path: "/rate_limit", body })),
    ];
    for (const item of world.agenda) this.due.add(nameOfDue(item));
    this.state = {
      messages,
      document: world.row.messages > 20_000 ? null : state,
      now: world.time(),
      start: startOf(state.realm.organization),
    };
  }

  request(step) {
    if (step.reply?.reminder_id) this.due.add(nameOfDue({ kind: "reminder", ...step.reply }));
    this.steps.push({ kind: "request", ...step });
  }

  /** Takes a call of control that changed something. True says that nothing before it could be played: it begins again. */
  control({ method, path, body, reply, was, serial }) {
    const restored = path.match(/^\/snapshots\/(.+)\/restore$/)?.[1];
    if (path === "/reset" || path === "/state" || (restored && !this.snapshots.has(decodeURIComponent(restored))))
      return true;
    if (!RECORDED.test(path) || body?.running !== undefined) return false;
    if (path === "/clock") {
      if (reply.now - was >= 1)
        this.steps.push({
          kind: "jump",
          seconds: Math.round(reply.now - was),
          from: was,
          to: reply.now,
          fired: reply.fired,
          serial,
        });
      return false;
    }
    if (path === "/snapshots") this.snapshots.add(body.name);
    if (reply.fault_id) this.rules.set(reply.fault_id, body);
    this.steps.push({ kind: "control", method, path, body, id: reply.fault_id, serial });
    return false;
  }
}

/** What names a reminder or a scheduled message, in the agenda and among what fell due. */
const nameOfDue = ({ kind, reminder_id: reminder, scheduled_message_id: message }) => `${kind} ${reminder ?? message}`;

/** When the world of a built-in organization began, in UNIX seconds; null for other organizations. */
const startOf = ({ name, date_created: made }) =>
  name === "Chatdouble" ? Date.parse(made) / 1000 + BUILT_IN_AGE_S : null;

const instantText = (seconds) => new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");

const span = (seconds) => {
  const units = [
    ["d", DAY_S],
    ["h", 3600],
    ["m", 60],
    ["s", 1],
  ];
  let rest = seconds;
  return units
    .map(([unit, size]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return count ? `${count}${unit}` : "";
    })
    .join("");
};

/** Names of what a story speaks of: kept ids, messages by their beginning, channels, people. */
class Names {
  kept = new Map();
  texts = [];
  constructor(world, before) {
    Object.assign(this, { world, before });
  }

  message(id) {
    if (this.kept.has(id)) return `{{${this.kept.get(id)}}}`;
    const own = this.before.find((message) => message.message_id === id);
    const line =
      own?.content
        .split("\n")[0]
        .replace(/[{}].*$/, "")
        .slice(0, 60)
        .trimEnd() ?? "";
    const first = line && this.before.find((message) => message.content.startsWith(line));
    return first?.message_id === id ? `{{message ${line}}}` : String(id);
  }

  channel(id) {
    const channel = this.world.channelsById.get(id);
    return channel && !/[{}]/.test(channel.name) ? `{{channel ${channel.name}}}` : String(id);
  }

  user(id) {
    const user = this.world.byId.get(id);
    return user ? `{{${handle(user.email)}.user_id}}` : String(id);
  }

  path(path) {
    return path.replace(/^\/messages\/(\d+)/, (_, id) => `/messages/${this.message(Number(id))}`);
  }

  text(text) {
    let said = value(text);
    for (const [known, name] of this.texts) said = said.replaceAll(known, `{{${name}}}`);
    return said;
  }

  parameter(name, given, now) {
    if (name === "message_id") return this.message(Number(given));
    if (name === "scheduled_delivery_timestamp") return `{{now +${span(Number(given) - now)}}}`;
    if (name === "stream_id") return this.channel(Number(given));
    if (name === "messages" && Array.isArray(given)) return `[${given.map((id) => this.message(id)).join(", ")}]`;
    if (name === "to" && Array.isArray(given)) return `[${given.map((id) => this.user(id)).join(", ")}]`;
    return typeof given === "string" ? this.text(given) : JSON.stringify(given);
  }
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
          : { sender_full_name: event.message.sender_full_name.replaceAll("{{", "\\{{") }),
        subject: event.message.subject.replaceAll("{{", "\\{{"),
      },
    };
  if (event.type === "reaction")
    return { type: "reaction", op: event.op, emoji_name: event.emoji_name, message_id: said(event.message_id) };
  if (event.type === "delete_message") return { type: "delete_message" };
  const topic = event.topic ?? event.subject;
  return {
    type: "update_message",
    message_id: said(event.message_id),
    ...(topic !== undefined ? { subject: topic.replaceAll("{{", "\\{{") } : {}),
    ...(event.new_stream_id ? { new_stream_id: names.channel(event.new_stream_id) } : {}),
  };
}

/** The events of things that fell due in a jump and that the story has as well. */
function dueEvents(recording, world, index) {
  const step = recording.steps[index];
  const later = recording.steps.slice(index + 1).find((one) => one.serial !== undefined);
  const times = new Set(step.fired.filter((item) => recording.due.has(nameOfDue(item))).map((item) => item.at));
  return world.seen
    .filter(({ kind, serial }) => kind === "event" && serial >= step.serial && serial < (later?.serial ?? Infinity))
    .map((entry) => entry.frame)
    .filter(({ at, event }) => times.has(at) && OBSERVED.includes(event.type));
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
        entry.real >= step.began - 50,
    );
    if (at < 0) return null;
    from = at + 1;
    return entries[at];
  });
}

/** The Markdown of one recording. */
class Story {
  out = [];
  #queues = new Map();
  /** When a queue was last polled, in the story's time. */
  #polled = new Map();
  #snapshots = new Map();
  #sent = 0;
  /** Who has a network that is offline; null for everybody. */
  #offline = new Set();
  /** Events of people who are offline: they come when they are online again, unless their queue is lost. */
  #held = [];
  #lost = new Set();

  constructor(recording, world, { before, observer, people }) {
    Object.assign(this, { recording, world, observer });
    this.names = new Names(world, before);
    this.entries = entriesOf(recording.steps, world);
    this.jumps = recording.steps.map((step, index) => (step.kind === "jump" ? dueEvents(recording, world, index) : []));
    const receives = (email) => this.jumps.flat().some((frame) => this.#isTo(frame, email));
    /** Those who have a queue in the story: the observer, and who received something in a jump. */
    this.watchers = [observer, ...people.filter((email) => email !== observer && receives(email))];
    this.steering = new Steering(world, this.watchers, recording.rules);
    this.now = Math.floor(recording.state.now);
  }

  #isTo(frame, email) {
    return frame.users.includes(this.world.byEmail.get(email)?.user_id);
  }

  #queue(email) {
    return `${handle(email)} ${this.#queues.get(email)}`;
  }

  #isOffline(email) {
    return this.#offline.has(null) || this.#offline.has(handle(email));
  }

  observe(email) {
    if (this.#isOffline(email)) {
      this.#lost.add(email);
      this.#held = this.#held.filter(([one]) => one !== email);
      return;
    }
    this.#queues.set(email, (this.#queues.get(email) ?? 0) + 1);
    this.#polled.set(email, this.now);
    this.out.push(
      block(`queue ${this.#queue(email)}`, [
        `event_types: ${JSON.stringify(OBSERVED)}`,
        `idle_queue_timeout: ${QUEUE_S}`,
        `client_capabilities: ${JSON.stringify(CAPABILITIES)}`,
      ]),
    );
  }

  #expect(email, event) {
    if (this.#lost.has(email)) return;
    if (this.#isOffline(email)) {
      this.#held.push([email, event]);
      return;
    }
    this.#polled.set(email, this.now);
    this.out.push(block(`event ${this.#queue(email)}`, [JSON.stringify(expectation(event, this.names))]));
  }

  /** Follows who is offline, and takes what those who no longer are have missed. */
  #connect({ method, path, body }) {
    const [place, query] = path.split("?");
    if (place !== "/network") return;
    const given = body?.user ?? new URLSearchParams(query).get("user");
    const user = given ? handle(given) : null;
    if (method === "DELETE" && user === null) this.#offline.clear();
    else if (method === "POST" && body.profile === "offline") this.#offline.add(user);
    else this.#offline.delete(user);
    for (const email of [...this.#lost])
      if (!this.#isOffline(email)) {
        this.#lost.delete(email);
        this.observe(email);
      }
    const held = this.#held;
    this.#held = [];
    for (const [email, event] of held) this.#expect(email, event);
  }

  #advance(to) {
    if (to <= this.now) return;
    this.out.push(block("control", [`clock +${span(to - this.now)}`]));
    this.now = to;
  }

  /**
   * A jump, with the events of what fell due in it. It stops where a queue would end before its events are taken, and a
   * queue that would end before its next event is made again.
   */
  jump(step, frames) {
    const to = Math.floor(step.to);
    const watchers = this.watchers.filter((email) => frames.some((frame) => this.#isTo(frame, email)));
    for (const email of watchers) if (email !== this.observer) this.observe(email);
    const isEnded = (email, at) => !this.#lost.has(email) && at - this.#polled.get(email) >= QUEUE_S;
    let waiting = [];
    const take = () => {
      for (const [email, event] of waiting) this.#expect(email, event);
      waiting = [];
    };
    for (const frame of frames)
      for (const email of watchers.filter((one) => this.#isTo(frame, one))) {
        if (isEnded(email, frame.at)) {
          this.#advance(Math.floor(frame.at) - 1);
          take();
          this.observe(email);
        }
        waiting.push([email, frame.event]);
        if (!isEnded(email, to)) continue;
        this.#advance(Math.ceil(frame.at));
        take();
      }
    this.#advance(to);
    take();
    if (isEnded(this.observer, this.now)) this.observe(this.observer);
  }

  control(step) {
    const { blocks, endsQueue } = this.steering.blocks(step, this.#queue(this.observer));
    this.out.push(...blocks);
    const restored = step.path.match(/^\/snapshots\/(.+)\/restore$/)?.[1];
    if (step.path === "/snapshots" && step.body) this.#snapshots.set(step.body.name, this.now);
    this.#connect(step);
    if (restored) this.now = this.#snapshots.get(decodeURIComponent(restored)) ?? this.now;
    if (endsQueue) this.observe(this.observer);
  }

  request(step, entry) {
    const { names, out } = this;
    if (!this.#isOffline(step.user)) out.push(...this.steering.meeting(step, entry));
    const lines = [`${handle(step.user)}: ${step.method} ${names.path(step.path)}`];
    if (step.file) lines.push(`file ${step.file.name}: ${value(step.file.text)}`);
    for (const [name, given] of Object.entries(step.params))
      lines.push(parameter(name, names.parameter(name, given, this.now)));
    out.push(block("request", lines));
    if (step.status !== 200)
      out.push(
        block(
          step.status ? `reply ${step.status}` : "reply none",
          step.code ? [JSON.stringify({ code: step.code })] : [],
        ),
      );
    else if (step.path === "/messages" && step.method === "POST") {
      this.#sent += 1;
      names.kept.set(step.reply.id, `message${this.#sent}`);
      out.push(block("reply", [`{"id": "{{message${this.#sent} := int}}"}`]));
    } else if (step.path === "/user_uploads") {
      const name = `file${names.texts.length + 1}`;
      names.texts.push([step.reply.url, name]);
      out.push(block("reply", [`{"url": "{{${name} := string}}"}`]));
    }
    for (const frame of entry?.events ?? [])
      if (OBSERVED.includes(frame.event.type) && this.#isTo(frame, this.observer))
        this.#expect(this.observer, frame.event);
  }
}

/** The lines of the story's world: none where it is played in the built-in organization as it is. */
function worldLines({ state, steps }, world, fixture) {
  const isDated = steps.some((step) => step.kind === "jump" || "scheduled_delivery_timestamp" in (step.params ?? {}));
  const { level, dialect } = world;
  const clock = fixture ? state.now : isDated ? state.start : null;
  return [
    fixture && `fixture: ${fixture}`,
    level && level !== world.newestLevel && `feature_level: ${level}`,
    dialect === "zulip" && "dialect: zulip",
    clock !== null && `clock: ${instantText(clock)}`,
  ].filter(Boolean);
}

/**
 * The Markdown of a recording. `before` are the messages as they were, `observer` an address, `people` those of the panes,
 * `fixture` a file's name.
 */
export function scenarioOf(recording, world, { title, before, observer, people, fixture }) {
  const story = new Story(recording, world, { before, observer, people });
  const { state, steps } = recording;
  story.out.push(`# ${title}`, "", "Recorded in the console of chatdouble.", "");
  const lines = worldLines(recording, world, fixture);
  if (lines.length) story.out.push(block("world", lines));
  // The world was older than the one that the story begins with.
  const age = Math.floor(state.now) - state.start;
  if (!fixture && age > 0 && lines.some((line) => line.startsWith("clock:")))
    story.out.push(block("control", [`clock +${span(age)}`]));
  story.observe(observer);
  for (const step of recording.before) story.control(step);
  steps.forEach((step, index) => {
    if (step.kind === "jump") story.jump(step, story.jumps[index]);
    else if (step.kind === "control") story.control(step);
    else story.request(step, story.entries[index]);
  });
  return `${story.out.join("\n")}\n`;
}
