// What was clicked, as a scenario that plays again: numbers become names, what came is what is expected.
import { handle } from "./lib.js";
import { Steering, remaining } from "./steering.js";
import { block, parameter, value } from "./steps.js";

const OBSERVED = ["message", "update_message", "delete_message", "reaction"];
const DAY_S = 86400;

/** The calls of control that a story tells of. */
const RECORDED = /^\/(clock|faults|network|rate_limit|snapshots)\b/;

/** Steps of one recording in a world, oldest first. */
export class Recording {
  steps = [];
  /** What was in force when it began, as calls of control. */
  before = [];
  rules = new Map();
  snapshots = new Set();
  state = null;

  /** Begins, or begins again, with the world as it is. */
  async begin(world) {
    Object.assign(this, { steps: [], before: [], rules: new Map(), snapshots: new Set(), state: null });
    const [{ messages }, { state }, { networks }, { rate_limits: limits }] = await Promise.all(
      ["/messages?limit=1000", "/state", "/network", "/rate_limit"].map((path) => world.call("GET", path)),
    );
    this.rules = new Map([...remaining(world.faults), ...this.rules]);
    this.before = [
      ...remaining(world.faults).map(([id, body]) => ({ method: "POST", path: "/faults", body, id })),
      ...networks.map((body) => ({ method: "POST", path: "/network", body })),
      ...limits.map((body) => ({ method: "POST", path: "/rate_limit", body })),
    ];
    this.state = { messages, document: world.row.messages > 20_000 ? null : state, now: world.time() };
  }

  request(step) {
    this.steps.push({ kind: "request", ...step });
  }

  /** Takes a call of control that changed something. True says that nothing before it could be played: it begins again. */
  control({ method, path, body, reply, was }) {
    const restored = path.match(/^\/snapshots\/(.+)\/restore$/)?.[1];
    if (path === "/reset" || path === "/state" || (restored && !this.snapshots.has(decodeURIComponent(restored))))
      return true;
    if (!RECORDED.test(path) || body?.running !== undefined) return false;
    if (path === "/clock") {
      if (reply.now - was >= 1) this.steps.push({ kind: "jump", seconds: Math.round(reply.now - was) });
      return false;
    }
    if (path === "/snapshots") this.snapshots.add(body.name);
    if (reply.fault_id) this.rules.set(reply.fault_id, body);
    this.steps.push({ kind: "control", method, path, body, id: reply.fault_id });
    return false;
  }
}

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

  parameter(name, given) {
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
        ...(names.kept.has(event.message.id) ? { id: said(event.message.id) } : {}),
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

/** The entries of the live view that belong to steps. */
function entriesOf(steps, world) {
  const entries = world.entries.filter((entry) => entry.kind === "request" && entry.real);
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

/** The Markdown of a recording. `before` are the messages as they were, `observer` an address, `fixture` a file's name. */
export function scenarioOf(recording, world, { title, before, observer, fixture, now }) {
  const names = new Names(world, before);
  const entries = entriesOf(recording.steps, world);
  const watcher = handle(observer);
  const out = [`# ${title}`, "", "Recorded in the console of chatdouble.", ""];
  if (fixture) out.push(block("world", [`fixture: ${fixture}`, `clock: ${now}`]));
  let queues = 0;
  const observe = () => {
    queues += 1;
    out.push(
      block(`queue ${watcher} ${queues}`, [
        `event_types: ${JSON.stringify(OBSERVED)}`,
        "idle_queue_timeout: 604800",
        'client_capabilities: {"bulk_message_deletion": true, "empty_topic_name": true}',
      ]),
    );
  };
  const steering = new Steering(world, observer, recording.rules);
  const steer = (step) => {
    const { blocks, endsQueue } = steering.blocks(step, `${watcher} ${queues}`);
    out.push(...blocks);
    if (endsQueue) observe();
  };
  observe();
  recording.before.forEach(steer);
  let sent = 0;
  recording.steps.forEach((step, index) => {
    if (step.kind === "jump") {
      out.push(block("control", [`clock +${span(step.seconds)}`]));
      observe();
      return;
    }
    if (step.kind === "control") {
      steer(step);
      return;
    }
    out.push(...steering.meeting(step, entries[index]));
    const lines = [`${handle(step.user)}: ${step.method} ${names.path(step.path)}`];
    if (step.file) lines.push(`file ${step.file.name}: ${value(step.file.text)}`);
    for (const [name, given] of Object.entries(step.params)) lines.push(parameter(name, names.parameter(name, given)));
    out.push(block("request", lines));
    if (step.status !== 200)
      out.push(
        block(
          step.status ? `reply ${step.status}` : "reply none",
          step.code ? [JSON.stringify({ code: step.code })] : [],
        ),
      );
    else if (step.path === "/messages" && step.method === "POST") {
      sent += 1;
      names.kept.set(step.reply.id, `message${sent}`);
      out.push(block("reply", [`{"id": "{{message${sent} := int}}"}`]));
    } else if (step.path === "/user_uploads") {
      const name = `file${names.texts.length + 1}`;
      names.texts.push([step.reply.url, name]);
      out.push(block("reply", [`{"url": "{{${name} := string}}"}`]));
    }
    const id = world.byEmail.get(observer)?.user_id;
    for (const frame of entries[index]?.events ?? []) {
      if (OBSERVED.includes(frame.event.type) && frame.users.includes(id))
        out.push(block(`event ${watcher} ${queues}`, [JSON.stringify(expectation(frame.event, names))]));
    }
  });
  return `${out.join("\n")}\n`;
}
