/** Requests and replies of control, derived from its OpenAPI document with the keys in camel case. */

import type { paths } from "./control.gen.js";
import type { Rule } from "./rules.js";

type Ok<Operation> = Operation extends { responses: { 200: { content: { "application/json": infer Body } } } }
  ? Body
  : never;
type Reply<Operation> = Omit<Ok<Operation>, "result" | "msg">;
type Row<Operation, Name extends keyof Ok<Operation>> = Ok<Operation>[Name] extends (infer Item)[] ? Item : never;
type Body<Operation> = Operation extends { requestBody?: { content: { "application/json": infer Sent } } }
  ? Sent
  : never;
type Filter<Operation> = Operation extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;
/** Without null, which leaves a key out as undefined does. */
type Sent<T> = { [Key in keyof T]?: Exclude<T[Key], null> };
type Worlds = paths["/control/worlds"];
type World<Path extends string> = `/control/worlds/{name}${Path}` extends keyof paths
  ? paths[`/control/worlds/{name}${Path}`]
  : never;

/** How a world is made. */
export interface WorldOptions extends Sent<
  Omit<Body<Worlds["post"]>, "fixture" | "dialect" | "clock" | "idleTtlSeconds">
> {
  /** A built-in fixture's name, a fixture document or a state. */
  fixture?: string | object;
  /** `neutral`, `zulip` or a dialect document. */
  dialect?: "neutral" | "zulip" | (string & {}) | object;
  /** `real`, `frozen`, or an instant at which it is frozen. */
  clock?: "real" | "frozen" | (string & {}) | number | Date;
  /** How long it may get no request, in real time, before it is deleted: seconds, or a span such as `10m`. */
  idleTtlSeconds?: number | string;
}
/** How a world is forked: the options of a new world without its origin. */
export interface ForkOptions extends Omit<WorldOptions, "forkOf" | "fixture"> {}
/** What a reset leaves as it is. */
export interface ResetOptions {
  /** Faults, journal and report are emptied unless they are listed. */
  keep?: ("faults" | "journal" | "report")[];
}
/** A row of the list of worlds. */
export interface WorldRow extends Row<Worlds["get"], "worlds"> {}
/** The server's version, its feature level and its number of worlds. */
export interface Health extends Reply<paths["/control/health"]["get"]> {}
/** An item of the agenda that falls due, or did. */
export interface AgendaItem extends Row<World<"/clock">["get"], "agenda"> {}
/** The state of the clock. */
export interface ClockState extends Reply<World<"/clock">["get"]> {}
/** What moving the clock did. */
export interface ClockMoved extends Reply<World<"/clock">["post"]> {}
/** A request and its reply. */
export interface JournalEntry extends Row<World<"/journal">["get"], "entries"> {}
/** What the clients of a world did wrong. */
export interface Report extends Reply<World<"/report">["get"]> {}
/** A client with its findings. */
export interface ReportedClient extends Row<World<"/report">["get"], "clients"> {}
type ListedFinding = ReportedClient["findings"][number];
/** A rule that a client broke. */
export interface Finding extends ListedFinding {}
/** Which findings count. */
export interface FindingFilter {
  /** Those at least this severe; `warning` by default. */
  severity?: Finding["severity"];
  /** Rules that do not count. */
  except?: Rule[];
}
/** A push that was handed to the push relay. */
export interface Push extends Row<World<"/pushes">["get"], "pushes"> {}
/** An installed fault. */
export interface Fault extends Row<World<"/faults">["get"], "faults"> {
  /** The same as `faultId`. */
  id: string;
}
/** A network that clients are on. */
export interface Network extends Row<World<"/network">["get"], "networks"> {}
/** A limit of requests. */
export interface RateLimit extends Row<World<"/rate_limit">["get"], "rateLimits"> {}
/** The delays of previews, in seconds. */
export interface PreviewDelays extends Reply<World<"/previews">["get"]> {}
/** A snapshot that was taken. */
export interface Snapshot extends Row<World<"/snapshots">["get"], "snapshots"> {}
/** The invariants that were checked, and their violations. */
export interface Invariants extends Reply<World<"/invariants">["get"]> {}
type CamelQueue = Row<World<"/queues">["get"], "queues">;
/** An event queue, with both the wire's names and those of this package. */
export interface Queue extends CamelQueue {
  /** The same as `queueId`. */
  queue_id: CamelQueue["queueId"];
  /** The same as `lastEventId`. */
  last_event_id: CamelQueue["lastEventId"];
}

/** The reply comes late; the request is carried out at once. */
export interface DelayEffect {
  /** Milliseconds of real time. */
  delayMs: number;
}
/** The reply is an error; nothing is done. */
export interface ErrorEffect {
  /** The HTTP status, and the reply: `code` and `msg`, by default those of the status, and further keys. */
  error: { status: number; code?: string; msg?: string; [key: string]: unknown };
}
/** 429, the error of a rate limit; nothing is done. */
export interface RateLimitEffect {
  /** The reply is 429 and says when the client may ask again. */
  rateLimit: {
    /** How long the client has to wait: seconds, or a span such as `1m30s`. */
    retryAfter: number | string;
  };
}
/** The request is carried out, and keys of a successful reply are changed. */
export interface ChangeEffect {
  /** The values of top-level keys, which keep their names; a key with null is left out. */
  change: { [key: string]: unknown };
}
/** The words of a failed reply are in accented letters, as from a server that translates. */
export interface PseudoLocalizeEffect {
  /** `msg` of a failed reply is in accented letters, so that a client that compares its text fails. */
  pseudoLocalize: true;
}
/** The connection closes without a reply. */
export interface DropEffect {
  /** Before or after the request is carried out. */
  drop: "before" | "after";
  /** Whether repetitions of the request are dropped too. */
  retries?: boolean;
}
/** The request is carried out, and the body of the reply breaks off. */
export interface TruncateEffect {
  /** Bytes that the client receives. */
  truncateAt: number;
}
/** The request is carried out, and the reply is a proxy's HTML page. */
export interface GarbageEffect {
  /** The status is 200, and the body is a proxy's HTML page. */
  garbage: true;
}
/** The reply is a gateway's HTML page, as while a server restarts; nothing is done. */
export interface GatewayEffect {
  /** HTTP status, from 400 to 599, such as 502. */
  gateway: number;
}
/** The caller's event queues are lost, then the request is carried out. */
export interface LoseQueueEffect {
  /** The caller's event queues are lost, so that the next poll is refused with BAD_EVENT_QUEUE_ID. */
  loseQueue: true;
}
/** What a poll of an event queue receives. */
export interface EventsEffect {
  /** Acknowledged events again; none though some are pending; one at a time; or an unknown type and fields as well. */
  events: "repeat" | "hold" | "one_by_one" | "unknown";
}
/** Operations that call the push relay fail with its error. */
export interface BouncerEffect {
  /** The error of the relay: it does not answer, it fails, or its administrator has to act. */
  bouncer: "unreachable" | "server_error" | "admin_action_required";
}
type Effects =
  | DelayEffect
  | ErrorEffect
  | RateLimitEffect
  | ChangeEffect
  | PseudoLocalizeEffect
  | DropEffect
  | TruncateEffect
  | GarbageEffect
  | GatewayEffect
  | LoseQueueEffect
  | EventsEffect
  | BouncerEffect;
type NameOf<Each> = Each extends unknown ? keyof Each : never;
/** One of several, without keys of the others. */
type OneOf<Each, All = Each> = Each extends unknown
  ? Each & { [Name in Exclude<NameOf<All>, keyof Each>]?: never }
  : never;
/** The effect of a fault on a client: exactly one of these. */
export type Effect = OneOf<Effects>;
type WireRule = Body<World<"/faults">["post"]>;
/** A fault to install. */
export interface FaultRule extends Sent<Omit<WireRule, "match" | "effect">> {
  /** The requests that the fault applies to; all by default. */
  match?: Sent<NonNullable<WireRule["match"]>>;
  /** What the client sees. */
  effect: Effect;
}
/** How often a fault has to fire, and how long to wait. */
export interface Firing extends Waiting {
  /** At how many requests; 1 by default. */
  times?: number;
}
/** A network to put clients on. */
export interface NetworkTerms extends Sent<Body<World<"/network">["post"]>> {}
/** A limit of requests to set. */
export interface RateLimitTerms extends Sent<Body<World<"/rate_limit">["post"]>> {}
/** Delays of previews to set. */
export interface PreviewTerms extends Sent<Body<World<"/previews">["post"]>> {}
/** The requests that are expected. */
export interface Assertion extends Sent<Omit<Body<World<"/journal/verify">["post"]>, "timeoutMs">> {}
/** Which journal entries are listed. */
export interface JournalFilter extends Filter<World<"/journal">["get"]> {}
/** Which pushes are listed. */
export interface PushFilter extends Filter<World<"/pushes">["get"]> {}
/** Which pushes are waited for. */
export interface AwaitedPushes extends Sent<Omit<Body<World<"/pushes/wait">["post"]>, "timeoutMs">> {}
/** Which queues with a waiting poll are waited for. */
export interface ParkedFilter extends Sent<Omit<Body<World<"/queues/wait">["post"]>, "timeoutMs" | "parked">> {}
/** Whose network or limit ends. */
export interface Whose {
  /** The user: an address or its handle; all users by default. */
  user?: string;
}
/**
 * How long helpers wait by default, in milliseconds: less than the 5 s that a test has in vitest and Jest, so that the message
 * of the helper is shown.
 */
export const PATIENCE_MS = 3_000;
/** How long to wait. */
export interface Waiting {
  /** Milliseconds of real time; helpers that wait do so for 3,000 by default, matchers do not. */
  timeoutMs?: number;
}
/** How a jump of the clock is made. */
export interface Jump {
  /** How long it waits for clients that are between two polls, in milliseconds of real time; 1,000 by default. */
  waitForClientsMs?: number;
}

/** What all frames have. */
interface FrameOf<Type extends string> {
  /** What the frame is about. */
  type: Type;
  /** The world's time, in Unix seconds. */
  at: number;
}
/** A request with its reply, as in the journal. */
export type RequestFrame = FrameOf<"request"> & JournalEntry;
/** An event that the world sent. */
export interface EventFrame extends FrameOf<"event"> {
  /** Position in the world's log. */
  id: number;
  /** The only queue that receives it, if it is for one queue. */
  queueId: string | null;
  /** Ids of the users who receive it. */
  users: number[];
  /** Handles of up to 50 of these users by id, and the name of the channel, if it is about one. */
  names: { users: Record<string, string>; channel: string | null };
  /** The event, as in the API, with the API's names. */
  event: any;
}
/** What happened to an event queue. */
export interface QueueFrame extends FrameOf<"queue"> {
  /** The queue's id. */
  queueId: string;
  /** Address of its user; null for a spectator. */
  user: string | null;
  /** What happened. */
  change: "registered" | "parked" | "answered" | "expired" | "lost" | "deleted";
}
/** A fault that fired. */
export interface FaultFrame extends FrameOf<"fault"> {
  /** The fault's id. */
  faultId: string;
  /** Number of the journal entry of the request that it met. */
  journalId: number;
  /** What it did, as in its rule. */
  effect: any;
}
/** A push that was handed to the push relay. */
export interface PushFrame extends FrameOf<"push"> {
  /** The push. */
  push: Push;
}
/** A change of the clock. */
export interface ClockFrame extends FrameOf<"clock"> {
  /** The time before, in Unix seconds. */
  from: number;
  /** The time after; it is before `from` when a snapshot is restored. */
  now: number;
  /** The items that fell due, in their order. */
  fired?: AgendaItem[];
  /** Name of the snapshot that was restored. */
  snapshot?: string;
}
/** All networks, after one of them changed. */
export interface NetworkFrame extends FrameOf<"network"> {
  /** The networks from now on. */
  networks: Network[];
}
/** All limits of requests, after one of them changed. */
export interface RateLimitFrame extends FrameOf<"rate_limit"> {
  /** The limits from now on. */
  rateLimits: RateLimit[];
}
/** Frames that were left out because they came too fast for this watcher. */
export interface LostFrame extends FrameOf<"lost"> {
  /** How many were left out. */
  count: number;
}
/** A frame of the watch socket; `type` says which. */
export type Frame =
  | RequestFrame
  | EventFrame
  | QueueFrame
  | FaultFrame
  | PushFrame
  | ClockFrame
  | NetworkFrame
  | RateLimitFrame
  | LostFrame;

/** A user's credentials, as a client needs them. */
export interface User {
  /** Id in the API. */
  id: number;
  /** The address with which the user logs in. */
  email: string;
  /** Key for requests, with the address. */
  apiKey: string;
}
