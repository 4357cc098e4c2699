// What is done in the console, as the steps of a recording.
import { handle } from "./lib.js";
import { changeOf, fits, networkCalls, restorePath } from "./others.js";
import { remaining } from "./steering.js";
import { EPSILON_S, secondsOf } from "./storytime.js";

/** How long before its world began the built-in organization was made, in seconds. */
const BUILT_IN_AGE_S = 365 * 86_400;

/** The calls of control that a story tells of. */
const RECORDED = /^\/(clock|faults|network|rate_limit|snapshots|queues)\b/;
/** Those that change nothing that a story tells of. */
const IRRELEVANT = /^\/(journal|report|pushes|faults|clock)\b/;
/** Those that the watch socket tells of. */
const FRAMED = /^\/(network\b|reset$|state$|snapshots\/.+\/restore$)/;
/** How many of the latest changes by frames a call of this page may turn out to have made. */
const UNCLAIMED_MAX = 50;
/** How long after the reply to a call of this page its frame may come. */
const AWAITED_MS = 5_000;
/** How far apart the times of a snapshot may be, in seconds, by which it is known again on a running clock. */
const SAME_SNAPSHOT_S = 2;

const RAN = "the clock ran with real time";

/** Steps of one recording in a world, oldest first. */
export class Recording {
  steps = [];
  /** What was in force when it began, as calls of control. */
  before = [];
  rules = new Map();
  /** The snapshots that the story has, with the time of each. */
  snapshots = new Map();
  /** All that are known, by name, with the time of each. */
  #known = new Map();
  /** The world's time as the steps have it. */
  #at = 0;
  /** Calls of this page whose frame has not come, and changes by frames that no call of this page has made so far. */
  #awaited = [];
  #unclaimed = [];
  #level = null;
  #isRunning = false;
  /** The number of steps when the world was last looked at. */
  #looked = 0;
  /** Reminders and scheduled messages that were due when it began. */
  due = new Set();
  /** Who acts in each pane, and since when: by the number of the next thing that happens, and null for the beginning. */
  seats = [];
  state = null;
  /** What was done and can't be in a story, in words. */
  omitted = [];

  /** Begins, or begins again, with the world as it is. */
  async begin(world) {
    Object.assign(this, {
      steps: [],
      before: [],
      rules: new Map(),
      snapshots: new Map(),
      due: new Set(),
      state: null,
      omitted: [],
      seats: this.#latestSeats(),
    });
    const serial = world.serial;
    const [{ messages }, { state }, { networks }, { rate_limits: limits }, { snapshots }, clock] = await Promise.all(
      ["/messages?limit=1000", "/state", "/network", "/rate_limit", "/snapshots", "/clock"].map((path) =>
        world.call("GET", path),
      ),
    );
    this.rules = new Map([...remaining(world.faults), ...this.rules]);
    this.before = [
      ...remaining(world.faults).map(([id, body]) => ({ method: "POST", path: "/faults", body, id })),
      ...networks.map((body) => ({ method: "POST", path: "/network", body })),
      ...limits.map((body) => ({ method: "POST", path: "/rate_limit", body })),
    ];
    this.#known = new Map(snapshots.map(({ name, at }) => [name, at]));
    this.#at = clock.now;
    this.#isRunning = clock.running;
    this.#looked = this.steps.length;
    this.#level = world.level;
    for (const item of clock.agenda) this.due.add(nameOfDue(item));
    this.seats = this.#latestSeats();
    this.state = {
      messages,
      document: world.row.messages > 20_000 ? null : state,
      now: clock.now,
      running: clock.running,
      level: world.level,
      serial,
      start: startOf(state.realm.organization),
      channels: new Map(Object.values(state.realm.channels).map(({ id, name }) => [id, name])),
      users: new Set(Object.values(state.realm.users).map(({ id }) => id)),
    };
  }

  #latestSeats() {
    const latest = new Map(this.seats.map((seat) => [seat.side, seat]));
    return [...latest.values()].map(({ side, email }) => ({ side, email, serial: null }));
  }

  /** Takes who acts in a pane from here on. Who acted there before the first step has no part in the story. */
  seat(side, email, serial) {
    const isThere = ({ side: at }) => at === side;
    const last = this.seats.findLast(isThere);
    if (last?.email === email) return;
    if (this.steps.length === 0) this.seats = this.seats.filter((seat) => !isThere(seat));
    this.seats.push({ side, email, serial: this.state && last ? serial : null });
  }

  /** The addresses of those who acted in a pane, the first one first. */
  peopleAt(side) {
    return [...new Set(this.seats.filter((seat) => seat.side === side).map(({ email }) => email))];
  }

  request(step) {
    this.steps.push({ kind: "request", ...step });
  }

  omit(what) {
    this.omitted.push(what);
  }

  /** Whether a snapshot is not in the recording, such as one from before it: restoring it would end the recording. */
  isBefore(snapshot) {
    return this.steps.length > 0 && !this.snapshots.has(snapshot);
  }

  /**
   * Takes what a frame of the watch socket says, which comes before or after the reply to a call of this page. What others
   * did becomes a step, as if this page had done it. True says that nothing before it could be played: it begins again.
   */
  frame(frame, was, serial) {
    const change = changeOf(frame, was);
    return change !== null && this.#take(change, serial);
  }

  #take(change, serial) {
    if (change.kind === "jump") {
      this.#jump(change, serial);
      return false;
    }
    if (change.kind === "return") this.#at = change.to;
    const since = performance.now() - AWAITED_MS;
    this.#awaited = this.#awaited.filter(({ answered }) => answered >= since);
    const own = this.#awaited.findIndex(({ call }) => fits(call, change));
    if (own >= 0) {
      this.#awaited.splice(own, 1);
      return false;
    }
    const isLost = change.kind === "return" && !this.snapshots.has(change.snapshot);
    const calls =
      change.kind === "network"
        ? networkCalls(change.was, change.now)
        : [{ method: "POST", path: restorePath(change.snapshot) }];
    const steps = this.state && !isLost ? calls.map((call) => ({ kind: "control", ...call, serial })) : [];
    this.#unclaimed = [...this.#unclaimed.slice(1 - UNCLAIMED_MAX), { change, steps, serial }];
    this.steps.push(...steps);
    return isLost && this.state !== null;
  }

  /** A jump is known by where it led: its frame and the reply to its call say the same. */
  #jump({ from, to, fired }, serial) {
    const began = Math.max(from, this.#at);
    if (!this.state || to - began < (this.state.running ? 1 : EPSILON_S)) {
      const known = this.steps.find((step) => step.kind === "jump" && !step.isStop && step.to === to);
      if (known?.fired.length === 0) known.fired = fired;
      return;
    }
    this.steps.push({ kind: "jump", seconds: Math.round(to - began), from: began, to, fired, serial });
    this.#at = to;
  }

  /** A clock that ran is stopped: the time that has passed until then is no part of the next jump. */
  #setRunning(running, now, serial) {
    const [from, to] = [this.#at, now];
    if (this.#isRunning && !running && this.state && to - from >= EPSILON_S) {
      this.steps.push({ kind: "jump", isStop: true, seconds: Math.round(to - from), from, to, fired: [], serial });
      this.#at = to;
    }
    this.#isRunning = running;
  }

  /** Whether a clock that ran was stopped before the first step: the recording may begin with the clock as it is now. */
  isStoppedBefore(running) {
    return Boolean(this.state) && this.#isRunning && running === false && this.steps.length === 0;
  }

  /** Takes the world as it is after frames were missed: what differs was done by others. */
  missed({ clock, was, networks, serial }) {
    if (!this.state) return;
    if (!clock.running) this.#jump({ from: this.#at, to: clock.now, fired: [] }, serial);
    if (JSON.stringify(was) !== JSON.stringify(networks)) this.#take({ kind: "network", was, now: networks }, serial);
  }

  /** Takes what no frame tells of. True says that something is new. */
  look({ snapshots, running, now, level, serial }) {
    if (!this.state) return false;
    const size = () => this.steps.length + this.omitted.length;
    const before = size();
    if (running && !this.state.running && !this.omitted.includes(RAN)) this.omit(RAN);
    // The place of a new snapshot is known if nothing was done since the last look.
    const isPlaced = this.steps.length === this.#looked;
    this.#setRunning(running, now, serial);
    if (level !== this.#level) this.omit(`the upgrade to feature level ${level}`);
    this.#level = level;
    for (const { name, at } of snapshots) {
      if (Math.abs((this.#known.get(name) ?? -Infinity) - at) < SAME_SNAPSHOT_S) continue;
      this.#known.set(name, at);
      if (isPlaced) {
        this.snapshots.set(name, at);
        this.steps.push({ kind: "control", method: "POST", path: "/snapshots", body: { name }, serial });
      } else {
        this.snapshots.delete(name);
        this.omit(`the snapshot ${name}, by another client`);
      }
    }
    this.#looked = this.steps.length;
    return size() > before;
  }

  /** Takes a call of control that changed something. True says that nothing before it could be played: it begins again. */
  control({ method, path, body, reply, was, serial, queue }) {
    const call = { method, path, body };
    const claimed = FRAMED.test(path) ? this.#claim(call, serial) : undefined;
    const restored = path.match(/^\/snapshots\/(.+)\/restore$/)?.[1];
    if (path === "/reset" || path === "/state" || (restored && !this.snapshots.has(decodeURIComponent(restored))))
      return claimed === undefined;
    if (restored) this.#at = this.snapshots.get(decodeURIComponent(restored));
    if (this.isStoppedBefore(body?.running)) return true;
    if (body?.running) this.omit(RAN);
    if (body?.running !== undefined) this.#setRunning(body.running, reply.now, serial);
    if (!RECORDED.test(path) || body?.running !== undefined) {
      if (!IRRELEVANT.test(path)) this.omit(`control ${method} ${path}`);
      return false;
    }
    if (path.startsWith("/queues/") && !queue?.isOwn) {
      this.omit(`the queue that ${handle(queue?.user) || "somebody"} lost is that of another client`);
      return false;
    }
    if (path === "/clock") {
      this.#jump({ from: was, to: reply.now, fired: reply.fired }, serial);
      return false;
    }
    if (path === "/snapshots") {
      this.snapshots.set(body.name, was);
      this.#known.set(body.name, was);
    }
    if (reply.fault_id) this.rules.set(reply.fault_id, body);
    const step = { kind: "control", ...call, id: reply.fault_id, serial, queue };
    const at = this.steps.indexOf(claimed?.steps[0]);
    if (at < 0) this.steps.push(step);
    else this.steps.splice(at, claimed.steps.length, step);
    return false;
  }

  /** The change by a frame that a call of this page made. If it has not come, it is awaited. */
  #claim(call, serial) {
    const at = this.#unclaimed.findIndex((one) => one.serial >= serial && fits(call, one.change));
    if (at >= 0) return this.#unclaimed.splice(at, 1)[0];
    this.#awaited.push({ call, answered: performance.now() });
    return undefined;
  }
}

/** What names a reminder or a scheduled message, in the agenda and among what fell due. */
export const nameOfDue = ({ kind, reminder_id: reminder, scheduled_message_id: message }) =>
  `${kind} ${reminder ?? message}`;

/** What names the reminder or the scheduled message that a request made. */
export const namesOfDue = ({ reply }) => [
  ...(reply?.reminder_id ? [nameOfDue({ kind: "reminder", ...reply })] : []),
  ...(reply?.scheduled_message_id ? [nameOfDue({ kind: "scheduled_message", ...reply })] : []),
];

/** When the world of a built-in organization began, in UNIX seconds; null for other organizations. */
const startOf = ({ name, date_created: made }) => (name === "Chatdouble" ? secondsOf(made) + BUILT_IN_AGE_S : null);
