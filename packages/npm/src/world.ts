/** A world: one whole organization with its clock, faults and journal. */

import { ChatdoubleError } from "./error.js";
import type { Requests } from "./http.js";
import { fromWire } from "./names.js";
import type { Server } from "./server.js";
import type {
  AgendaItem,
  Assertion,
  ClockMoved,
  ClockState,
  Fault,
  FaultRule,
  ForkOptions,
  Frame,
  Invariants,
  JournalEntry,
  JournalFilter,
  Jump,
  Push,
  PushFilter,
  Queue,
  Snapshot,
  User,
  Waiting,
} from "./types.js";
import { texts } from "./websocket.js";

/** The default time to wait, in milliseconds. */
const PATIENCE_MS = 5_000;
/** The domain of the addresses in the built-in fixtures. */
const DOMAIN = "chat.test";

/** A world: `await using` deletes it. */
export class World {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly queues: Queues;
  readonly pushes: Pushes;
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
    this.journal = new Journal(this.#calls);
    this.queues = new Queues(this.#calls);
    this.pushes = new Pushes(this.#calls);
    this.snapshots = new Snapshots(this.#calls);
  }

  /** A user's credentials, by handle or address. The journal has the request, as it is one of the API. */
  async user(handle: string): Promise<User> {
    const email = handle.includes("@") ? handle : `${handle}@${DOMAIN}`;
    let known = await this.#fetchKey(email).catch((error: unknown) => error as ChatdoubleError);
    if (known instanceof ChatdoubleError && !handle.includes("@") && known.code !== "USER_DEACTIVATED") {
      const elsewhere = await this.#emailOf(handle);
      if (elsewhere === undefined || elsewhere === email) throw known;
      known = await this.#fetchKey(elsewhere);
    }
    if (known instanceof Error) throw known;
    return known;
  }

  /** Makes a copy of the current state, or of a snapshot, without queues, faults, journal and snapshots. */
  fork(options: ForkOptions = {}): Promise<World> {
    return this.server.createWorld({ ...options, forkOf: this.name });
  }

  /** Resets data, clock, pushes, faults and journal; `keep` lists which of the last two are kept. */
  async reset(options: { keep?: ("faults" | "journal")[] } = {}): Promise<void> {
    await this.#calls.post("/reset", options);
  }

  /** Deletes the world. */
  async delete(): Promise<void> {
    await this.#calls.delete("");
  }

  /** The world as a fixture document. */
  async state(): Promise<any> {
    return (await this.#calls.requests.plain("GET", `${this.#calls.path}/state`)).state;
  }

  /** Replaces the state with that of a document; queues end. */
  async putState(document: object): Promise<void> {
    await this.#calls.requests.plain("PUT", `${this.#calls.path}/state`, document);
  }

  /** Checks the invariants, which must hold of every world. */
  invariants(): Promise<Invariants> {
    return this.#calls.get("/invariants");
  }

  /** Raises the feature level, as an upgrade of a server does. */
  async upgrade(level: number): Promise<void> {
    await this.#calls.post("/upgrade", { to: level });
  }

  /** The frames of the watch socket, as they are broadcast, from the first `next()` on. */
  async *watch(): AsyncGenerator<Frame, void, undefined> {
    const { reach } = this.#calls.requests;
    const frames = texts(`${reach.url}/control${this.#calls.path}/watch`, this.#calls.requests.options());
    for await (const text of frames) yield fromWire(JSON.parse(text)) as Frame;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.delete();
  }

  async #fetchKey(username: string): Promise<User> {
    const reply = await this.#calls.requests.api("POST", `${this.url}/api/v1/dev_fetch_api_key`, { username });
    return { id: reply.user_id, email: reply.email, apiKey: reply.api_key };
  }

  async #emailOf(handle: string): Promise<string | undefined> {
    const { direct_admins, direct_users } = await this.#calls.requests.api("GET", `${this.url}/api/v1/dev_list_users`);
    const emails: string[] = [...direct_admins, ...direct_users].map((person: { email: string }) => person.email);
    return emails.find((email) => email.startsWith(`${handle}@`));
  }
}

/** The calls of control for one world. */
class Calls {
  constructor(
    readonly requests: Requests,
    readonly path: string,
  ) {}

  get(path: string, filters: object = {}): Promise<any> {
    return this.requests.control("GET", this.path + path, undefined, filters);
  }

  post(path: string, body: object = {}): Promise<any> {
    return this.requests.control("POST", this.path + path, body);
  }

  delete(path: string): Promise<any> {
    return this.requests.control("DELETE", this.path + path);
  }
}

/** A world's clock and agenda. */
export class Clock {
  constructor(private readonly calls: Calls) {}

  /** The time, in Unix seconds. */
  async now(): Promise<number> {
    return (await this.state()).now;
  }

  /** The items that fall due, the next one first. */
  async agenda(): Promise<AgendaItem[]> {
    return (await this.state()).agenda;
  }

  /** The time, whether the clock runs, and the agenda. */
  state(): Promise<ClockState> {
    return this.calls.get("/clock");
  }

  /** Advances by seconds, or by a span such as "1d2h30m"; all items that fall due are done before it returns. */
  advance(by: number | string, options: Jump = {}): Promise<ClockMoved> {
    return this.calls.post("/clock", { advanceSeconds: by, ...options });
  }

  /** Advances to a time: RFC 3339, Unix seconds or a date. */
  set(to: Date | string | number, options: Jump = {}): Promise<ClockMoved> {
    return this.calls.post("/clock", { set: to, ...options });
  }

  /** Advances to the next item that falls due. */
  toNext(options: Jump = {}): Promise<ClockMoved> {
    return this.calls.post("/clock", { toNext: true, ...options });
  }

  /** Lets the clock run with real time. */
  run(): Promise<ClockMoved> {
    return this.calls.post("/clock", { running: true });
  }

  /** Freezes the clock. */
  freeze(): Promise<ClockMoved> {
    return this.calls.post("/clock", { running: false });
  }
}

/** Failures on demand. */
export class Faults {
  constructor(private readonly calls: Calls) {}

  /** Installs a rule. */
  async add(rule: FaultRule): Promise<{ id: string; remove(): Promise<void> }> {
    const { faultId } = await this.calls.post("/faults", rule);
    const remove = async () => void (await this.calls.delete(`/faults/${encodeURIComponent(faultId)}`));
    return { id: faultId, remove };
  }

  /** All installed rules, also spent ones, with how many requests each let pass and how often it fired. */
  async list(): Promise<Fault[]> {
    const { faults } = await this.calls.get("/faults");
    return faults.map((fault: Fault) => ({ ...fault, id: fault.faultId }));
  }

  /** Removes all rules. */
  async clear(): Promise<void> {
    await this.calls.delete("/faults");
  }
}

/** The requests to the API, and their replies. */
export class Journal {
  constructor(private readonly calls: Calls) {}

  /** Entries, newest last. */
  async entries(filter: JournalFilter = {}): Promise<JournalEntry[]> {
    return (await this.calls.get("/journal", filter)).entries;
  }

  /** Asserts that there were such requests and returns their number; otherwise throws, with the nearest ones. */
  async verify(assertion: Assertion): Promise<number> {
    return (await this.calls.post("/journal/verify", assertion)).count;
  }

  /** Waits until there are such requests and returns their number; after the timeout, throws as `verify` does. */
  async waitFor(assertion: Assertion, options: Waiting = {}): Promise<number> {
    return (await this.calls.post("/journal/wait", { ...assertion, timeoutMs: options.timeoutMs ?? PATIENCE_MS }))
      .count;
  }

  /** Empties the journal. */
  async clear(): Promise<void> {
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

  /** Waits until `count` queues (default: 1) of a user, or of any user, have a waiting poll. */
  async waitParked(options: { user?: string; count?: number } & Waiting = {}): Promise<Queue[]> {
    const { timeoutMs, ...wanted } = options;
    const body = { ...wanted, parked: true, timeout_ms: timeoutMs ?? PATIENCE_MS };
    return this.#rows(await this.calls.requests.plain("POST", `${this.calls.path}/queues/wait`, body));
  }

  #rows({ queues }: { queues: object[] }): Queue[] {
    return queues.map((queue) => ({ ...queue, ...(fromWire(queue) as object) }) as Queue);
  }
}

/** The pushes that were handed to the push relay. */
export class Pushes {
  constructor(private readonly calls: Calls) {}

  /** Pushes, newest last. */
  async list(filter: PushFilter = {}): Promise<Push[]> {
    return (await this.calls.get("/pushes", filter)).pushes;
  }

  /** Waits until there are such pushes, and returns them. */
  async waitFor(filter: PushFilter & { atLeast?: number } = {}, options: Waiting = {}): Promise<Push[]> {
    return (await this.calls.post("/pushes/wait", { ...filter, timeoutMs: options.timeoutMs ?? PATIENCE_MS })).pushes;
  }

  /** Empties the list. */
  async clear(): Promise<void> {
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
    return (await this.calls.get("/snapshots")).snapshots;
  }

  /** Removes a snapshot. */
  async remove(name: string): Promise<void> {
    await this.calls.delete(`/snapshots/${encodeURIComponent(name)}`);
  }
}
