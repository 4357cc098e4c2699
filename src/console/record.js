// What is done in the console, as the steps of a recording.
import { handle } from "./lib.js";
import { remaining } from "./steering.js";

/** How long before its world began the built-in organization was made, in seconds. */
const BUILT_IN_AGE_S = 365 * 86_400;

/** The calls of control that a story tells of. */
const RECORDED = /^\/(clock|faults|network|rate_limit|snapshots|queues)\b/;
/** Those that change nothing that a story tells of. */
const IRRELEVANT = /^\/(journal|report|pushes|faults|clock)\b/;

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
  /** What was done and can't be in a story, in words. */
  omitted = [];

  /** Begins, or begins again, with the world as it is. */
  async begin(world) {
    Object.assign(this, {
      steps: [],
      before: [],
      rules: new Map(),
      snapshots: new Set(),
      due: new Set(),
      state: null,
      omitted: [],
    });
    const serial = world.serial;
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
      serial,
      start: startOf(state.realm.organization),
    };
  }

  request(step) {
    if (step.reply?.reminder_id) this.due.add(nameOfDue({ kind: "reminder", ...step.reply }));
    this.steps.push({ kind: "request", ...step });
  }

  omit(what) {
    this.omitted.push(what);
  }

  /** Whether a snapshot is of a time before the recording, which restoring it would end. */
  isBefore(snapshot) {
    return this.steps.length > 0 && !this.snapshots.has(snapshot);
  }

  /** Takes a call of control that changed something. True says that nothing before it could be played: it begins again. */
  control({ method, path, body, reply, was, serial, queue }) {
    const restored = path.match(/^\/snapshots\/(.+)\/restore$/)?.[1];
    if (path === "/reset" || path === "/state" || (restored && !this.snapshots.has(decodeURIComponent(restored))))
      return true;
    if (body?.running) this.omit("the clock ran with real time");
    if (!RECORDED.test(path) || body?.running !== undefined) {
      if (!IRRELEVANT.test(path)) this.omit(`control ${method} ${path}`);
      return false;
    }
    if (path.startsWith("/queues/") && !queue?.isOwn) {
      this.omit(`the queue that ${handle(queue?.user) || "somebody"} lost is that of another client`);
      return false;
    }
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
    this.steps.push({ kind: "control", method, path, body, id: reply.fault_id, serial, queue });
    return false;
  }
}

/** What names a reminder or a scheduled message, in the agenda and among what fell due. */
export const nameOfDue = ({ kind, reminder_id: reminder, scheduled_message_id: message }) =>
  `${kind} ${reminder ?? message}`;

/** When the world of a built-in organization began, in UNIX seconds; null for other organizations. */
const startOf = ({ name, date_created: made }) =>
  name === "Chatdouble" ? Date.parse(made) / 1000 + BUILT_IN_AGE_S : null;
