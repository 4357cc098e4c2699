/** Requests and replies of control in camel case, derived from its OpenAPI document. */

import type { components, paths } from "./control.gen.js";
import type { Camel } from "./names.js";

type Schemas = components["schemas"];
type Reply<Operation> = Operation extends { responses: { 200: { content: { "application/json": infer Body } } } }
  ? Omit<Body, "result" | "msg">
  : never;
type Sent<T> = { [Key in keyof T]?: Exclude<T[Key], null> };

/** How a world is made. */
export type WorldOptions = Sent<Omit<Camel<Schemas["WorldOptions"]>, "fixture" | "dialect" | "clock">> & {
  /** A built-in fixture's name, a fixture document or a state. */
  fixture?: string | object;
  /** `neutral`, `zulip` or a dialect document. */
  dialect?: string | object;
  /** `real`, `frozen`, or an instant at which it is frozen. */
  clock?: "real" | "frozen" | (string & {}) | Date;
};
/** How a world is forked: the options of a new world without its origin. */
export type ForkOptions = Omit<WorldOptions, "forkOf" | "fixture">;
/** A row of the list of worlds. */
export type WorldRow = Camel<Schemas["World"]>;
/** An item of the agenda that falls due, or did. */
export type AgendaItem = Camel<Schemas["AgendaItem"]>;
/** The state of the clock. */
export type ClockState = Camel<Reply<paths["/control/worlds/{name}/clock"]["get"]>>;
/** What moving the clock did. */
export type ClockMoved = Camel<Reply<paths["/control/worlds/{name}/clock"]["post"]>>;
/** A request and its reply. */
export type JournalEntry = Camel<Schemas["JournalEntry"]>;
/** An event queue, with both the wire's names and those of this package. */
export type Queue = Schemas["Queue"] & Camel<Schemas["Queue"]>;
/** A push that was handed to the push relay. */
export type Push = Camel<Schemas["Push"]>;
/** An installed fault. */
export type Fault = Camel<Schemas["Fault"]> & { id: string };
/** A snapshot that was taken. */
export type Snapshot = Camel<Reply<paths["/control/worlds/{name}/snapshots"]["get"]>>["snapshots"][number];
/** The invariants that were checked, and their violations. */
export type Invariants = Camel<Reply<paths["/control/worlds/{name}/invariants"]["get"]>>;

/** The effect of a fault on a client: exactly one of these. */
export type Effect =
  | { delayMs: number }
  | { error: { status: number; code: string; msg: string; [key: string]: unknown } }
  | { rateLimit: { retryAfter: number } }
  | { drop: "before" | "after"; retries?: boolean }
  | { truncateAt: number }
  | { garbage: true }
  | { loseQueue: true }
  | { events: "repeat" | "hold" | "one_by_one" | "unknown" }
  | { bouncer: "unreachable" | "server_error" | "admin_action_required" };
/** A fault to install. */
export type FaultRule = Sent<Omit<Camel<Schemas["FaultRule"]>, "match" | "effect">> & {
  /** The requests that the fault applies to; all by default. */
  match?: { method?: string; path?: string; user?: string; params?: Record<string, string> };
  effect: Effect;
};
/** The requests that are expected. */
export type Assertion = Sent<Omit<Camel<Schemas["Assertion"]>, "timeoutMs" | "params">> & {
  /** Some of the parameters that were sent, as text. */
  params?: Record<string, string>;
};
/** Which journal entries are listed. */
export type JournalFilter = {
  method?: string;
  path?: string;
  user?: string;
  status?: number;
  since?: number;
  limit?: number;
};
/** Which pushes are listed. */
export type PushFilter = { user?: string; deviceId?: number; since?: number };
/** How long to wait, in milliseconds of real time. */
export type Waiting = { timeoutMs?: number };
/** How long a jump waits for clients that are between two polls, in milliseconds of real time. */
export type Jump = { waitForClientsMs?: number };

/** A frame of the watch socket; an event in it is as in the API. */
export type Frame = {
  type: "request" | "event" | "clock" | "push" | "queue" | "fault" | "lost";
  at: number;
  [key: string]: any;
};
/** A user's credentials, as a client needs them. */
export type User = { id: number; email: string; apiKey: string };
