/** A world: one whole organization with its clock, faults and journal. */

import { checkParams } from "./assertion.js";
import type { WorldEventPattern } from "./event-pattern.js";
import { EventRecorder } from "./events.js";
import { ChatdoubleError, part, rows } from "./error.js";
import { ALL_EVENT_TYPES } from "./event-types.js";
import { NO_WORLD, type Requests } from "./http.js";
import { checkKeys, checkNone, checkValued, FIRING, JUMP, RECORDING, REGISTERING, WAITING, WHOSE } from "./keys.js";
import { addressOf, fromWire } from "./names.js";
import { declaredEvents, type DeclaredEvents } from "./recorded-client.js";
import { checkKnown } from "./rules.js";
import type { Server } from "./server.js";
import type {
  AgendaItem,
  Assertion,
  AwaitedPushes,
  ClockMoved,
  ClockState,
  Fault,
  FaultRule,
  Firing,
  ForkOptions,
  Frame,
  Invariants,
  JournalEntry,
  JournalFilter,
  Jump,
  Network,
  NetworkTerms,
  ParkedFilter,
  PreviewDelays,
  PreviewTerms,
  Push,
  PushFilter,
  Queue,
  RateLimit,
  RateLimitTerms,
  RecordingOptions,
  Report,
  ResetOptions,
  Snapshot,
  User,
  Waiting,
  Whose,
} from "./types.js";
import { PATIENCE_MS } from "./types.js";
import { texts } from "./websocket.js";

/** How many handles the error for an unknown user lists. */
const LISTED_HANDLES = 30;

/** The status of a call for a fault that there is not. */
const NO_FAULT = 400;

/** Frames that change nothing, by which recorders know what was sent before. */
interface Marks {
  sent: number;
  last: Promise<unknown>;
}

const MARKS = new Map<string, Marks>();

/** Those of a world, by its path in control. */
function marksOf(place: string): Marks {
  let marks = MARKS.get(place);
  if (marks === undefined) MARKS.set(place, (marks = { sent: 0, last: Promise.resolve() }));
  return marks;
}

/** A world: `await using` deletes it. */
export class World {
  /** The world's clock and agenda. */
  readonly clock: Clock;
  /** Failures on demand. */
  readonly faults: Faults;
  /** Networks between clients and the world. */
  readonly network: Networks;
  /** Limits of requests, by the world's clock. */
  readonly rateLimit: RateLimits;
  /** When thumbnails and previews of linked pages arrive. */
  readonly previews: Previews;
  /** The requests to the API, and their replies. */
  readonly journal: Journal;
  /** Event queues of clients. */
  readonly queues: Queues;
  /** The pushes that were handed to the push relay. */
  readonly pushes: Pushes;
  /** Named states to come back to. */
  readonly snapshots: Snapshots;
  readonly #calls: Calls;

  constructor(
    /** The server that holds the world. */
    readonly server: Server,
    /** The world's name in control. */
    readonly name: string,
    /** Base URL for clients, without a slash at the end and without /api/v1. */
    readonly url: string,
    requests: Requests,
  ) {
    this.#calls = new Calls(requests, `/worlds/${encodeURIComponent(name)}`);
    this.clock = new Clock(this.#calls);
    this.faults = new Faults(this.#calls);
    this.network = new Networks(this.#calls);
    this.rateLimit = new RateLimits(this.#calls);
    this.previews = new Previews(this.#calls);
    this.journal = new Journal(this.#calls);
    this.queues = new Queues(this.#calls);
    this.pushes = new Pushes(this.#calls);
    this.snapshots = new Snapshots(this.#calls);
  }

  /** A user's credentials, by handle or address. */
  async user(handle: string): Promise<User> {
    // Without a handle, control lists all users.
    checkNamed(handle);
    const [found] = await this.#users({ user: handle }).catch(async (error: ChatdoubleError) => {
      if (error.status !== 400) throw error;
      throw new ChatdoubleError(await this.#unknown(error.message), error.status, error.code, error.body);
    });
    const [email, isActive] = [part(found, "email"), part(found, "isActive")];
    if (!isActive)
      throw new ChatdoubleError(`${email} is deactivated: the API refuses its key`, 403, "USER_DEACTIVATED");
    return { id: part(found, "userId"), email, apiKey: part(found, "apiKey") };
  }

  /** Makes a copy of the current state, or of a snapshot, without queues, faults, journal and snapshots. */
  fork(options: ForkOptions = {}): Promise<World> {
    return this.server.createWorld({ ...options, forkOf: this.name });
  }

  /** Resets data, clock, pushes, faults, journal and report; `keep` lists which of the last three are kept. */
  async reset(options: ResetOptions = {}): Promise<void> {
    await this.#calls.post("/reset", options);
  }

  /** Deletes the world; fails if it is gone already. */
  async delete(): Promise<void> {
    await this.#calls.delete("");
    MARKS.delete(this.#place());
  }

  /** The world as a fixture document. */
  async state(): Promise<any> {
    return part(await this.#calls.requests.plain("GET", `${this.#calls.path}/state`), "state");
  }

  /** Replaces the state with that of a document; queues end. */
  async putState(document: object): Promise<void> {
    await this.#calls.requests.plain("PUT", `${this.#calls.path}/state`, document);
  }

  /** Checks the invariants, which must hold of every world. */
  async invariants(): Promise<Invariants> {
    const reply = await this.#calls.get("/invariants");
    rows(reply, "violations");
    return reply;
  }

  /** What the clients of the world did that a real server would suffer from. */
  async report(): Promise<Report> {
    const reply = await this.#calls.get("/report");
    rows(reply, "clients");
    return reply;
  }

  /** Empties the report. */
  async clearReport(): Promise<void> {
    await this.#calls.delete("/report");
  }

  /** Raises the feature level, as an upgrade of a server does. */
  async upgrade(level: number): Promise<void> {
    await this.#calls.post("/upgrade", { to: level });
  }

  /** The frames of the watch socket, as they are broadcast, from the first `next()` on. */
  watch(): AsyncGenerator<Frame, void, undefined> {
    return this.#frames(() => {});
  }

  /**
   * Collects the events that the world sends from now on: those of all users before they are made for a client, or with
   * `{ user: "mel" }` those that a client of Mel receives, as it receives them.
   */
  async recordEvents(): Promise<EventRecorder<WorldEventPattern>>;
  async recordEvents(options: RecordingOptions): Promise<EventRecorder>;
  async recordEvents(options?: RecordingOptions): Promise<EventRecorder> {
    const filters = options === undefined ? {} : await this.#recorded(options);
    let opened: (close: () => void) => void = () => {};
    const open = new Promise<() => void>((resolve) => (opened = resolve));
    const frames = this.#frames(opened, filters);
    const first = frames.next();
    // A socket that can't be opened is the first frame's error.
    const close = await Promise.race([open, first.then(() => () => {})]);
    const before = marksOf(this.#place()).sent;
    const register = options?.register;
    const client = {
      isOfUser: options !== undefined,
      isHtml: options !== undefined && register?.apply_markdown !== false,
      types: register?.event_types,
      capabilities: options === undefined ? null : { ...register?.client_capabilities },
      declared: () => this.#declaredEvents(),
    };
    return new EventRecorder(frames, first, close, async () => (await this.#sendMark()) - before, client);
  }

  /** The events of the world's level; undefined in a dialect of one's own. */
  async #declaredEvents(): Promise<DeclaredEvents | undefined> {
    // After the end of the server or of the world, what was recorded still counts.
    const rows = await this.server.worlds({ prefix: this.name }).catch(() => []);
    const row = rows.find((world) => world.name === this.name);
    if (row === undefined || row.dialect === "custom") return undefined;
    const { featureLevel, dialect } = row;
    const { requests } = this.#calls;
    const read = async () =>
      declaredEvents(featureLevel, await requests.document("/openapi.json", { featureLevel, dialect }));
    return requests.once(`events ${featureLevel} ${dialect}`, read).catch(() => undefined);
  }

  /** The filters of the watch socket for events of one user. */
  async #recorded(options: RecordingOptions): Promise<Record<string, string>> {
    checkKeys("recordEvents", options ?? null, RECORDING, 'user: "mel"');
    const { user, register = {} } = options;
    checkKeys("register", register, REGISTERING, 'event_types: ["message"]');
    if (register.event_types !== undefined)
      for (const type of register.event_types) checkKnown("event of the type", type, ALL_EVENT_TYPES);
    const email = typeof user === "object" && typeof user?.email === "string" ? user.email : user;
    checkNamed(email);
    return { user: (await this.user(email as string)).email, register: JSON.stringify(register) };
  }

  /** Lets the watch sockets send a frame that changes nothing; returns how many there were. One after the other: each is counted. */
  #sendMark(): Promise<number> {
    const marks = marksOf(this.#place());
    const mark = marks.last.then(async () => {
      await this.#calls.post("/clock", { advanceSeconds: 0, waitForClientsMs: 0 });
      return ++marks.sent;
    });
    marks.last = mark.catch(() => {});
    return mark;
  }

  /** The world, whichever object of this process is for it. */
  #place(): string {
    return `${this.#calls.requests.reach.url}${this.#calls.path}`;
  }

  async *#frames(
    opened: (close: () => void) => void,
    filters: Record<string, string> = {},
  ): AsyncGenerator<Frame, void, undefined> {
    const { reach } = this.#calls.requests;
    const query = Object.keys(filters).length === 0 ? "" : `?${new URLSearchParams(filters)}`;
    const url = `${reach.url}/control${this.#calls.path}/watch${query}`;
    const frames = texts(url, this.#calls.requests.options(), opened);
    for await (const text of frames) {
      try {
        yield fromWire(JSON.parse(text)) as Frame;
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw new ChatdoubleError(`a frame of the watch socket is not JSON: ${text.slice(0, 200)}`);
      }
    }
  }

  /** Deletes the world, unless it is gone already. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#calls.requests.leave(this.delete());
  }

  async #users(filter: { user?: string } = {}): Promise<any[]> {
    return rows(await this.#calls.get("/users", filter), "users");
  }

  /** The message for an unknown user, with the handles that there are. */
  async #unknown(message: string): Promise<string> {
    const active = (await this.#users()).filter((user) => user.isActive);
    const handles = active.slice(0, LISTED_HANDLES).map((user) => String(user.email).split("@")[0]);
    const more = active.length > handles.length ? ` and ${active.length - handles.length} more` : "";
    return `${message.replace(/^user: /, "")}\nThe active users of ${this.name}: ${handles.join(", ")}${more}`;
  }
}

/** The calls of control for one world. */
class Calls {
  constructor(
    readonly requests: Requests,
    readonly path: string,
  ) {}

  get(path: string, filters: { user?: unknown } = {}): Promise<any> {
    checkUser(filters.user);
    return this.requests.control("GET", this.path + path, undefined, filters);
  }

  post(path: string, body: object = {}): Promise<any> {
    return this.requests.control("POST", this.path + path, body);
  }

  /** A call that selects or asserts: by all of its keys, or by the named ones. */
  async select(path: string, body: object, by: readonly string[] = Object.keys(body ?? {})): Promise<any> {
    checkValued(Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => by.includes(name))));
    return this.post(path, body);
  }

  delete(path: string, filters: { user?: unknown } = {}): Promise<any> {
    checkUser(filters.user);
    return this.requests.control("DELETE", this.path + path, undefined, filters);
  }
}

/** Throws for a user who is named by no text, which in a query would be one. */
function checkUser(given: unknown): void {
  if (given !== undefined && given !== null) checkNamed(addressOf(given));
}

function checkNamed(given: unknown): void {
  if (typeof given !== "string")
    throw new ChatdoubleError(`user takes a text such as "mel", not ${JSON.stringify(given)}`);
}

/** Throws for a number or a date that is none, which JSON does not have. */
function checkNumber(takes: string, given: unknown): void {
  const number = given instanceof Date ? given.getTime() : given;
  if (typeof number !== "number" || Number.isFinite(number)) return;
  throw new ChatdoubleError(`${takes}, not ${given instanceof Date ? "an invalid Date" : number}`);
}

/** As milliseconds, this is a time in 1973; as seconds, one after the year 5000. */
const SMALLEST_MILLISECONDS = 1e11;

/** A world's clock and agenda. */
export class Clock {
  constructor(private readonly calls: Calls) {}

  /** The time, in Unix seconds; they have fractions. */
  async now(): Promise<number> {
    return (await this.state()).now;
  }

  /** The items that fall due, the next one first. */
  async agenda(): Promise<AgendaItem[]> {
    return (await this.state()).agenda;
  }

  /** The time, whether the clock runs, and the agenda. */
  async state(): Promise<ClockState> {
    const reply = await this.calls.get("/clock");
    part(reply, "now");
    rows(reply, "agenda");
    return reply;
  }

  /** Advances by seconds, or by a span such as "1d2h30m"; all items that fall due are done before it returns. */
  advance(by: number | string, options: Jump = {}): Promise<ClockMoved> {
    checkKeys("the second argument of clock.advance", options, JUMP);
    checkNumber('clock.advance takes seconds, or a span such as "1d2h"', by);
    return this.#move({ advanceSeconds: by, ...options });
  }

  /** Advances to a time: a `Date`, RFC 3339 text or Unix seconds. */
  async set(to: Date | string | number, options: Jump = {}): Promise<ClockMoved> {
    checkKeys("the second argument of clock.set", options, JUMP);
    checkNumber("clock.set takes a Date, RFC 3339 text or Unix seconds", to);
    try {
      return await this.#move({ set: to, ...options });
    } catch (error) {
      if (!(error instanceof ChatdoubleError) || typeof to !== "number" || to < SMALLEST_MILLISECONDS) throw error;
      const message = `${error.message}; a number is Unix seconds, not milliseconds: give a Date, or Date.now() / 1000`;
      throw new ChatdoubleError(message, error.status, error.code, error.body);
    }
  }

  /**
   * Advances to the next item that falls due, and returns what fell due then. With an empty agenda, the clock stays as it is and
   * `fired` is empty.
   */
  toNext(options: Jump = {}): Promise<ClockMoved> {
    checkKeys("clock.toNext", options, JUMP);
    return this.#move({ toNext: true, ...options });
  }

  /** Lets the clock run with real time. */
  run(): Promise<ClockMoved> {
    return this.#move({ running: true });
  }

  /** Freezes the clock. */
  freeze(): Promise<ClockMoved> {
    return this.#move({ running: false });
  }

  async #move(change: object): Promise<ClockMoved> {
    const reply = await this.calls.post("/clock", change);
    rows(reply, "fired");
    return reply;
  }
}

/** A fault that was installed. */
export class InstalledFault {
  constructor(
    private readonly calls: Calls,
    /** Its id in control. */
    readonly id: string,
    /** The last fault of each id: after a reset, a new one may have the id of one that is gone. */
    private readonly last: ReadonlyMap<string, InstalledFault>,
  ) {}

  /**
   * Waits until it fired at `times` requests (default: 1), and returns at how many it did; after the timeout (3 s by default),
   * throws as `journal.verify` does. A rule meets the requests that arrive after it: a poll that waits already is not met.
   */
  async waitFired(options: Firing = {}): Promise<number> {
    checkKeys("waitFired", options, FIRING, "times: 2");
    const { timeoutMs, ...counted } = options;
    checkValued(counted);
    const body = { fault: this.id, atLeast: counted.times ?? 1, timeoutMs: timeoutMs ?? PATIENCE_MS };
    return part(await this.calls.post("/journal/wait", body), "count");
  }

  /** Removes it; fails if it is gone already. */
  async remove(): Promise<void> {
    await this.calls.delete(`/faults/${encodeURIComponent(this.id)}`);
  }

  /** Removes it, unless it is gone already. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.last.get(this.id) === this) await this.calls.requests.leave(this.remove(), [NO_WORLD, NO_FAULT]);
  }
}

/** Failures on demand. */
export class Faults {
  readonly #last = new Map<string, InstalledFault>();

  constructor(private readonly calls: Calls) {}

  /** Installs a rule. */
  async add(rule: FaultRule): Promise<InstalledFault> {
    const id = part(await this.calls.select("/faults", rule, ["match"]), "faultId");
    const fault = new InstalledFault(this.calls, id, this.#last);
    this.#last.set(id, fault);
    return fault;
  }

  /** All installed rules, also spent ones, with how many requests each let pass and how often it fired. */
  async list(): Promise<Fault[]> {
    const faults: Omit<Fault, "id">[] = rows(await this.calls.get("/faults"), "faults");
    return faults.map((fault) => ({ ...fault, id: fault.faultId }));
  }

  /** Removes all rules. */
  async clear(...nothing: []): Promise<void> {
    checkNone("faults.clear", nothing);
    await this.calls.delete("/faults");
  }
}

/** Networks between clients and the world. */
export class Networks {
  constructor(private readonly calls: Calls) {}

  /** Puts a user's client, or all that have no network of their own, on a network. */
  async set(network: NetworkTerms): Promise<void> {
    await this.calls.select("/network", network, ["user"]);
  }

  /** The networks, with all numbers. */
  async list(): Promise<Network[]> {
    return rows(await this.calls.get("/network"), "networks");
  }

  /** Ends the network of a user, or all networks. */
  async clear(whose: Whose = {}): Promise<void> {
    checkKeys("network.clear", whose, WHOSE, 'user: "mel"');
    await this.calls.delete("/network", whose);
  }
}

/** Limits of requests, by the world's clock. */
export class RateLimits {
  constructor(private readonly calls: Calls) {}

  /** Limits the requests of a user, or of each who has no limit of their own; budgets begin whole. */
  async set(limit: RateLimitTerms): Promise<void> {
    await this.calls.select("/rate_limit", limit, ["user"]);
  }

  /** The limits. */
  async list(): Promise<RateLimit[]> {
    return rows(await this.calls.get("/rate_limit"), "rateLimits");
  }

  /** Ends the limit of a user, or all limits. */
  async clear(whose: Whose = {}): Promise<void> {
    checkKeys("rateLimit.clear", whose, WHOSE, 'user: "mel"');
    await this.calls.delete("/rate_limit", whose);
  }
}

/** When thumbnails and previews of linked pages arrive. */
export class Previews {
  constructor(private readonly calls: Calls) {}

  /** Delays previews, by the world's clock; a delay that is left out stays as it is. */
  async set(delays: PreviewTerms): Promise<void> {
    await this.calls.post("/previews", delays);
  }

  /** The delays; `linkSeconds` is null where links have no previews. */
  async delays(): Promise<PreviewDelays> {
    const reply = await this.calls.get("/previews");
    part(reply, "thumbnailSeconds");
    part(reply, "linkSeconds");
    return reply;
  }

  /** Ends the delays: thumbnails are there at once, and links have no previews. */
  async clear(...nothing: []): Promise<void> {
    checkNone("previews.clear", nothing);
    await this.calls.delete("/previews");
  }
}

/** The requests to the API, and their replies. */
export class Journal {
  constructor(private readonly calls: Calls) {}

  /** Entries, newest last. */
  async entries(filter: JournalFilter = {}): Promise<JournalEntry[]> {
    return rows(await this.calls.get("/journal", filter), "entries");
  }

  /** Asserts that there were such requests and returns their number; otherwise throws, with the nearest ones. */
  async verify(assertion: Assertion): Promise<number> {
    checkParams(assertion);
    return part(await this.calls.select("/journal/verify", assertion), "count");
  }

  /** Waits until there are such requests and returns their number; after the timeout (3 s by default), throws as `verify` does. */
  async waitFor(assertion: Assertion, options: Waiting = {}): Promise<number> {
    checkKeys("the second argument of journal.waitFor", options, WAITING);
    checkParams(assertion);
    const body = { ...assertion, timeoutMs: options.timeoutMs ?? PATIENCE_MS };
    return part(await this.calls.select("/journal/wait", body), "count");
  }

  /** Empties the journal. */
  async clear(...nothing: []): Promise<void> {
    checkNone("journal.clear", nothing);
    await this.calls.delete("/journal");
  }
}

/** Event queues of clients. */
export class Queues {
  constructor(private readonly calls: Calls) {}

  /** All queues. */
  async list(): Promise<Queue[]> {
    return this.#rows(await this.calls.requests.plain("GET", `${this.calls.path}/queues`));
  }

  /** Loses a queue, as a restart of the server does. */
  async lose(id: string): Promise<void> {
    await this.calls.delete(`/queues/${encodeURIComponent(id)}`);
  }

  /** Waits until `count` queues (default: 1) of a user, or of any user, have a waiting poll; for 3 s by default. */
  async waitParked(filter: ParkedFilter & Waiting = {}, options: Waiting = {}): Promise<Queue[]> {
    checkKeys("the second argument of queues.waitParked", options, WAITING);
    const { timeoutMs = options.timeoutMs, ...wanted } = filter;
    checkValued(wanted);
    const body = { ...wanted, parked: true, timeout_ms: timeoutMs ?? PATIENCE_MS };
    return this.#rows(await this.calls.requests.plain("POST", `${this.calls.path}/queues/wait`, body));
  }

  #rows(reply: unknown): Queue[] {
    return rows(reply, "queues").map((queue) => ({ ...queue, ...(fromWire(queue) as object) }) as Queue);
  }
}

/** The pushes that were handed to the push relay. */
export class Pushes {
  constructor(private readonly calls: Calls) {}

  /** Pushes, newest last. */
  async list(filter: PushFilter = {}): Promise<Push[]> {
    return rows(await this.calls.get("/pushes", filter), "pushes");
  }

  /** Waits until there are such pushes, for 3 s by default, and returns them. */
  async waitFor(filter: AwaitedPushes = {}, options: Waiting = {}): Promise<Push[]> {
    checkKeys("the second argument of pushes.waitFor", options, WAITING);
    const body = { ...filter, timeoutMs: options.timeoutMs ?? PATIENCE_MS };
    return rows(await this.calls.select("/pushes/wait", body), "pushes");
  }

  /** Empties the list. */
  async clear(...nothing: []): Promise<void> {
    checkNone("pushes.clear", nothing);
    await this.calls.delete("/pushes");
  }
}

/** Named states to come back to. */
export class Snapshots {
  constructor(private readonly calls: Calls) {}

  /** Takes a snapshot; one of the same name is replaced. */
  async save(name: string): Promise<void> {
    await this.calls.post("/snapshots", { name });
  }

  /** Goes back to a snapshot; queues end. */
  async restore(name: string): Promise<void> {
    await this.calls.post(`/snapshots/${encodeURIComponent(name)}/restore`);
  }

  /** All snapshots. */
  async list(): Promise<Snapshot[]> {
    return rows(await this.calls.get("/snapshots"), "snapshots");
  }

  /** Removes a snapshot. */
  async remove(name: string): Promise<void> {
    await this.calls.delete(`/snapshots/${encodeURIComponent(name)}`);
  }
}
