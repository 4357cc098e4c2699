/** A test double of a team-chat server, which tests start and steer. */

export { ChatdoubleError } from "./error.js";
export { EventRecorder, type EventPattern } from "./events.js";
export type { EventType } from "./event-types.js";
export type { Rule } from "./rules.js";
export { connect, Server } from "./server.js";
export { startServer, type StartOptions } from "./start.js";
export { Clock, Faults, Journal, Networks, Previews, Pushes, Queues, RateLimits, Snapshots, World } from "./world.js";
export type {
  AgendaItem,
  Assertion,
  AwaitedPushes,
  ClockFrame,
  ClockMoved,
  ClockState,
  Effect,
  EventFrame,
  Fault,
  FaultFrame,
  FaultRule,
  Finding,
  FindingFilter,
  ForkOptions,
  Frame,
  Invariants,
  JournalEntry,
  JournalFilter,
  Jump,
  LostFrame,
  Network,
  NetworkFrame,
  NetworkTerms,
  PreviewDelays,
  PreviewTerms,
  Push,
  PushFilter,
  PushFrame,
  Queue,
  QueueFrame,
  RateLimit,
  RateLimitFrame,
  RateLimitTerms,
  Report,
  ReportedClient,
  RequestFrame,
  Snapshot,
  User,
  Waiting,
  WorldOptions,
  WorldRow,
} from "./types.js";
