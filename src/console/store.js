// The state that views show: the worlds, and one world from a snapshot over control and its watch socket.
import { api, control, refusalOf, watch, worldPath } from "./control.js";

/** The number of entries that are kept, as in the world's journal. */
const ENTRIES_MAX = 10_000;
/** How often lists are read that have no frames on the watch socket: faults and snapshots that others make. */
const LOOK_MS = 3_000;
/** The most frames that are broadcast in a second; if there are more, the newest requests are read this much later. */
const FRAMES_PER_SECOND = 300;
const CATCH_UP_MS = 3_000;
/** The shortest time between two looks of a page, in milliseconds: under a flood it leaves the processor to the server. */
const SHOWN_EVERY_MS = 100;
const CAUGHT_UP = 300;
const TOASTS_MAX = 3;

export class Store {
  #listeners = new Set();
  #due = false;
  #notified = 0;

  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notifies the listeners: with the next frame, or a while after the last time, however much happens. */
  changed() {
    if (this.#due) return;
    this.#due = true;
    const tell = () => {
      this.#due = false;
      this.#notified = performance.now();
      for (const listener of [...this.#listeners]) listener();
    };
    const early = this.#notified + SHOWN_EVERY_MS - performance.now();
    // Pages in the background get no frames.
    if (document.hidden) setTimeout(tell, 250);
    else if (early > 0) setTimeout(() => requestAnimationFrame(tell), early);
    else requestAnimationFrame(tell);
  }
}

export class Toasts extends Store {
  list = [];
  #next = 1;
  show = (text, kind = "", links = []) => {
    // What is said again takes the place of what was said.
    const others = this.list.filter((toast) => toast.text !== text);
    const count = 1 + (this.list.find((toast) => toast.text === text)?.count ?? 0);
    const toast = { id: this.#next++, text, kind, links, count };
    this.list = [...others.slice(1 - TOASTS_MAX), toast];
    this.changed();
    setTimeout(() => this.drop(toast.id), kind === "bad" ? 9000 : 5000);
  };
  drop = (id) => {
    this.list = this.list.filter((toast) => toast.id !== id);
    this.changed();
  };
}
export const toasts = new Toasts();

/** Carries something out and says so when it is refused. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    toasts.show(error.hint ? `${error.message} ${error.hint}` : error.message, "bad");
    return undefined;
  }
}

export class Worlds extends Store {
  list = null;
  broken = new Map();
  extra = new Map();
  needsToken = false;
  offline = false;
  load = async () => {
    try {
      const { worlds } = await control("GET", "/worlds");
      this.list = worlds;
      Object.assign(this, { needsToken: false, offline: false });
    } catch (error) {
      if (error.status === 401) this.needsToken = true;
      else this.offline = true;
    }
    this.changed();
  };

  /** What a row does not have: parked queues, faults in force, broken invariants. */
  look = async (names) => {
    await Promise.all(
      names.map(async (name) => {
        try {
          const [{ queues }, { faults }] = await Promise.all([
            control("GET", worldPath(name, "/queues")),
            control("GET", worldPath(name, "/faults")),
          ]);
          const armed = faults.filter((fault) => !(fault.times && fault.fired >= fault.times)).length;
          this.extra.set(name, { parked: queues.filter((queue) => queue.parked).length, armed });
        } catch {
          this.extra.delete(name);
        }
      }),
    );
    this.changed();
  };

  check = async (names) => {
    for (const name of names) {
      try {
        this.broken.set(name, (await control("GET", worldPath(name, "/invariants"))).violations);
      } catch {
        this.broken.delete(name);
      }
    }
    this.changed();
  };
}
export const worlds = new Worlds();

/** The order in which things happened: requests by the journal, what else happened after the request before it. */
const byArrival = (one, other) =>
  one.after - other.after || (one.kind === "request" ? -1 : other.kind === "request" ? 1 : one.serial - other.serial);

/** Whether a frame says that the world returned to another state, whose time may be the same. */
const isReturn = ({ cause, snapshot }) => cause !== undefined || snapshot !== undefined;

/** One world as it is followed. */
export class World extends Store {
  state = "connecting";
  now = 0;
  running = false;
  agenda = [];
  row = null;
  users = [];
  byEmail = new Map();
  byId = new Map();
  channels = [];
  channelsById = new Map();
  queues = [];
  #faults = [];
  /** The effects of all faults that this page has seen, by their ids: a request in Live may have met one that is removed. */
  effects = new Map();
  snapshots = [];
  pushes = [];
  /** Clients of people that this page acts as, by pane: they live on while other views are shown. */
  sessions = [];
  /** Texts that are not sent yet, by person and conversation. */
  drafts = new Map();
  /** The conversations that are shown, by pane and person. */
  places = new Map();
  journal = new Map();
  /** The networks and rate limits that hold, by the type of their frames; null until they are read. */
  conditions = { network: null, rate_limit: null };
  /** Requests, events, jumps: what the live view shows, oldest first. */
  entries = [];
  missed = 0;
  #close = () => {};
  #read = performance.now();
  #timers = new Map();
  #causes = new Map();
  #closed = false;
  isShown = false;
  #looking = null;
  /** How many frames said which networks and rate limits hold. */
  #conditionFrames = 0;
  #serial = 0;
  #cleared = [];
  /** The journal's id of the newest request that was received. */
  #newest = 0;

  constructor(name) {
    super();
    this.name = name;
    this.follow();
    this.#looking = setInterval(() => {
      if (this.isShown && !document.hidden && this.state === "live") this.look();
    }, LOOK_MS);
  }

  get faults() {
    return this.#faults;
  }

  set faults(list) {
    this.#faults = list;
    for (const { fault_id: id, effect } of list) this.effects.set(id, effect);
  }

  get isClosed() {
    return this.#closed;
  }

  /** The feature level of the world: as control says it, or as a client of this page received it. */
  get level() {
    return this.row?.feature_level ?? this.sessions.find((session) => session?.queueId)?.level ?? null;
  }

  get dialect() {
    return this.row?.dialect ?? this.sessions.find((session) => session?.dialect)?.dialect ?? null;
  }

  /** All that was received, what Live no longer shows included. */
  get seen() {
    return [...this.#cleared, ...this.entries];
  }

  /** Empties Live. */
  clear() {
    this.#cleared = this.seen.slice(-ENTRIES_MAX);
    this.entries = [];
    this.changed();
  }

  close() {
    this.#closed = true;
    this.#close();
    for (const session of this.sessions) session?.close();
    clearInterval(this.#looking);
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  /** A call of control below the world; `onChange` is called with those that change something. */
  call = async (method, path, body) => {
    const was = this.time();
    const serial = this.#serial;
    const queue = this.#queueOf(path);
    const reply = await control(method, worldPath(this.name, path), body);
    if (method !== "GET") this.onChange?.({ method, path, body, reply, was, serial, queue });
    return reply;
  };

  /** The event queue that a call of control is about; `isOwn` says that it is one of this page's clients. */
  #queueOf(path) {
    if (!path.startsWith("/queues/")) return undefined;
    const id = decodeURIComponent(path.slice("/queues/".length));
    const user = this.queues.find((one) => one.queue_id === id)?.user;
    return { user, isOwn: this.sessions.some((session) => session?.queueId === id) };
  }

  /** A request of the public API that a view makes as a user; `onRequest` is called with it, refused or not. */
  ask = async (user, method, path, params = {}) => {
    const step = { user: user.email, method, path, params, status: 200, began: Date.now() };
    try {
      step.reply = await api(this.name, user, method, path, params);
      return step.reply;
    } catch (error) {
      Object.assign(step, refusalOf(error));
      throw error;
    } finally {
      this.onRequest?.(step);
    }
  };

  /** The number that the next thing which happens gets. */
  get serial() {
    return this.#serial;
  }

  /** The world's time at this moment. */
  time() {
    return this.running ? this.now + (performance.now() - this.#read) / 1000 : this.now;
  }

  follow() {
    this.#close = watch(this.name, FRAMES_PER_SECOND, {
      onOpen: () => this.load(),
      onFrame: (frame) => this.take(frame),
      onClose: () => this.lose(),
    });
  }

  /** The socket ended: the server restarts, or the world is gone. */
  async lose() {
    if (this.#closed) return;
    try {
      await this.call("GET", "");
      this.state = "reconnecting";
    } catch (error) {
      this.state = error.status === 404 ? "gone" : error.status === 401 ? "token" : "offline";
    }
    this.changed();
    // A world that is not shown is not waited for.
    if (this.state === "gone" && !this.isShown) this.close();
    if (this.#closed || this.state === "token") return;
    setTimeout(() => this.#closed || this.follow(), this.state === "gone" ? 2000 : 700);
  }

  async load() {
    let before = this.#newest;
    try {
      const paths = ["", "/clock", "/users", "/channels", "/queues", "/faults", "/snapshots", "/pushes", "/journal"];
      const [takeConditions, ...lists] = await Promise.all([
        this.#readConditions(),
        ...paths.map((path) => this.call("GET", path)),
      ]);
      const [{ world }, clock, users, channels, queues, faults, snapshots, pushes, journal] = lists;
      if (this.row && world.created_at !== this.row.created_at) {
        this.#restart();
        before = 0;
      }
      takeConditions();
      this.row = world;
      this.setClock(clock);
      this.setUsers(users.users);
      this.setChannels(channels.channels);
      Object.assign(this, {
        queues: queues.queues,
        faults: faults.faults,
        snapshots: snapshots.snapshots,
        pushes: pushes.pushes,
      });
      const known = new Map(this.entries.map((entry) => [entry.key, entry]));
      const listed = journal.entries.map((entry) => known.get(`r${entry.id}`) ?? this.request(entry, true));
      const isListed = new Set(listed.map((entry) => entry.key));
      // The journal may have forgotten what is older, and does not yet have what came while it was read.
      this.entries = [
        ...listed,
        ...this.entries.filter(
          (entry) => entry.kind !== "request" || (entry.frame.id > before && !isListed.has(entry.key)),
        ),
      ].slice(-ENTRIES_MAX);
      // Not by the world's time, which goes back when a snapshot is restored.
      if (known.size) this.entries.sort(byArrival);
      this.state = "live";
    } catch (error) {
      if (error.status === 401) this.state = "token";
    }
    this.changed();
  }

  /** Reads what holds. The result takes it, unless a frame said it meanwhile, and what was missed goes to `onMissed`. */
  async #readConditions() {
    const frames = this.#conditionFrames;
    const [clock, { networks }, { rate_limits: limits }] = await Promise.all(
      ["/clock", "/network", "/rate_limit"].map((path) => this.call("GET", path)),
    );
    return () => {
      if (this.#conditionFrames !== frames) return;
      const was = this.conditions.network;
      this.conditions = { network: networks, rate_limit: limits };
      if (was) this.onMissed?.({ clock, was, networks, serial: this.#serial });
    };
  }

  /** Another world has the name, such as that of a server which was started again: its journal is another one. */
  #restart() {
    this.#newest = 0;
    this.#forgetConditions();
    this.effects.clear();
    this.clear();
    this.onRestart?.();
  }

  #forgetConditions() {
    this.conditions = { network: null, rate_limit: null };
  }

  setClock(clock) {
    Object.assign(this, { now: clock.now, running: clock.running, agenda: clock.agenda });
    this.#read = performance.now();
    this.changed();
  }

  setUsers(list) {
    this.users = list;
    this.byEmail = new Map(list.map((user) => [user.email, user]));
    this.byId = new Map(list.map((user) => [user.user_id, user]));
    this.changed();
  }

  setChannels(list) {
    this.channels = list;
    this.channelsById = new Map(list.map((channel) => [channel.channel_id, channel]));
    this.changed();
  }

  /** Reads the newest of what was missed, a while later: whoever sends so much is busy enough. */
  catchUp() {
    if (this.#timers.has("journal")) return;
    this.#timers.set(
      "journal",
      setTimeout(async () => {
        this.#timers.delete("journal");
        try {
          const { entries } = await this.call("GET", `/journal?limit=${CAUGHT_UP}`);
          const known = new Set(this.entries.slice(-2 * CAUGHT_UP).map((entry) => entry.key));
          const newer = entries.filter((entry) => !known.has(`r${entry.id}`)).map((entry) => this.request(entry, true));
          this.entries = [...this.entries, ...newer].slice(-ENTRIES_MAX);
          for (const what of ["users", "channels", "queues", "pushes"]) this.refresh(what);
          (await this.#readConditions())();
          this.changed();
        } catch {
          /* The socket's end tells of it. */
        }
      }, CATCH_UP_MS),
    );
  }

  /** Reads what others may have changed without the socket's telling of it. */
  async look() {
    try {
      const [clock, { faults }, { snapshots }, { world: row }] = await Promise.all(
        ["/clock", "/faults", "/snapshots", ""].map((path) => this.call("GET", path)),
      );
      // Another feature level: the world was upgraded.
      if (row.feature_level !== this.row?.feature_level) this.changed();
      this.row = row;
      const seen = {
        snapshots,
        running: clock.running,
        now: clock.now,
        level: row.feature_level,
        serial: this.#serial,
      };
      if (this.onLook?.(seen)) this.changed();
      // Time goes back only when somebody resets the world, or restores a snapshot.
      if (clock.now < this.now) {
        this.load();
        return;
      }
      if (JSON.stringify([faults, snapshots]) !== JSON.stringify([this.faults, this.snapshots])) {
        Object.assign(this, { faults, snapshots });
        this.changed();
      }
      if (clock.running !== this.running || JSON.stringify(clock.agenda) !== JSON.stringify(this.agenda))
        this.setClock(clock);
    } catch {
      /* The socket's end tells of it. */
    }
  }

  /** Reads a list again a moment later, however often it is asked to. */
  refresh(what, wait = 150) {
    if (this.#timers.has(what)) return;
    this.#timers.set(
      what,
      setTimeout(async () => {
        this.#timers.delete(what);
        try {
          const reply = await this.call("GET", `/${what}`);
          if (what === "clock") this.setClock(reply);
          else if (what === "users") this.setUsers(reply.users);
          else if (what === "channels") this.setChannels(reply.channels);
          else this[what] = reply[what];
          this.changed();
        } catch {
          /* The socket's end tells of it. */
        }
      }, wait),
    );
  }

  request(frame, isPast = false) {
    this.#newest = Math.max(this.#newest, frame.id);
    return {
      key: `r${frame.id}`,
      after: frame.id,
      serial: this.#serial++,
      kind: "request",
      at: frame.at,
      real: isPast ? null : Date.now(),
      frame,
      events: [],
    };
  }

  add(entry) {
    this.entries.push(entry);
    if (this.entries.length > ENTRIES_MAX + 500) this.entries = this.entries.slice(-ENTRIES_MAX);
  }

  take(frame) {
    const serial = this.#serial;
    const was = this.conditions[frame.type] ?? undefined;
    const simple = (kind) =>
      this.add({
        key: `${kind}${this.#serial}`,
        after: this.#newest,
        serial: this.#serial++,
        kind,
        at: frame.at,
        real: Date.now(),
        frame,
        was,
        events: [],
      });
    switch (frame.type) {
      case "request": {
        const entry = this.request(frame);
        for (const id of frame.events) this.#causes.set(id, entry);
        if (this.#causes.size > 20_000) this.#causes.clear();
        this.add(entry);
        if (frame.fault) this.refresh("faults");
        break;
      }
      case "event": {
        const cause = this.#causes.get(frame.id);
        if (cause) {
          cause.events = [...cause.events, frame];
          this.#causes.delete(frame.id);
        } else if (frame.event?.type !== "heartbeat") simple("event");
        this.hear(frame.event ?? {});
        break;
      }
      case "clock":
        if (frame.cause === "reset") {
          this.#newest = 0;
          this.#forgetConditions();
          this.effects.clear();
          this.clear();
        }
        if (Math.abs(frame.now - frame.from) > 1 || frame.fired.length || isReturn(frame)) simple("clock");
        if (isReturn(frame)) this.load();
        else this.refresh("clock", 30);
        if (frame.fired.some((item) => item.kind === "queue_expired")) this.refresh("queues");
        break;
      case "queue":
        if (frame.change === "lost") simple("queue");
        this.refresh("queues");
        break;
      case "fault":
        this.refresh("faults");
        break;
      case "push":
        this.pushes = [...this.pushes, frame.push].slice(-10_000);
        simple("push");
        break;
      case "lost":
        this.missed += frame.count;
        this.catchUp();
        break;
      case "network":
      case "rate_limit":
        this.#conditionFrames += 1;
        this.conditions = { ...this.conditions, [frame.type]: frame.networks ?? frame.rate_limits };
        simple("other");
        break;
      default:
        simple("other");
    }
    this.onFrame?.(frame, was, serial);
    this.changed();
  }

  /** Reads again what an event says has changed. */
  hear(event) {
    if (["realm_user", "realm_bot"].includes(event.type)) this.refresh("users", 300);
    if (["stream", "subscription", "user_group", "channel_folder"].includes(event.type)) this.refresh("channels", 300);
    if (["message", "update_message", "delete_message", "update_message_flags"].includes(event.type)) {
      this.refresh("channels", 400);
      this.refresh("users", 1500);
    }
    if (["reminders", "scheduled_messages", "invites_changed"].includes(event.type)) this.refresh("clock");
  }

  who(email) {
    return this.byEmail.get(email);
  }
}

/** Worlds that were opened, the last one last: what was seen of them stays while others are shown. */
const opened = [];
const OPENED_MAX = 4;

/** A world to be shown, the one that was followed before if there is one. */
export function openWorld(name) {
  const at = opened.findIndex((world) => world.name === name);
  const [known] = at < 0 ? [] : opened.splice(at, 1);
  const world = known && !known.isClosed && known.state !== "gone" ? known : new World(name);
  if (known && known !== world) known.close();
  opened.push(world);
  while (opened.length > OPENED_MAX) opened.shift().close();
  world.isShown = true;
  return world;
}

/** Follows a world on that is no longer shown, unless it is gone. */
export function leaveWorld(world) {
  world.isShown = false;
  if (world.state === "gone") world.close();
}
