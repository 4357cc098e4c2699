/** A test double of team-chat servers that speak the Zulip REST API, which tests start and steer. */

export { ChatdoubleError } from "./error.js";
export type { EventPattern, WorldEventPattern } from "./event-pattern.js";
export { EventRecorder } from "./events.js";
export type { EventType } from "./event-types.js";
export type { Rule } from "./rules.js";
export { connect, Server } from "./server.js";
export { startServer, type StartOptions } from "./start.js";
export {
  Clock,
  Faults,
  InstalledFault,
  Journal,
  Networks,
  Previews,
  Pushes,
  Queues,
  RateLimits,
  Snapshots,
  World,
} from "./world.js";
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
  FaultMatch,
  FaultRule,
  Finding,
  FindingFilter,
  Firing,
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
  RecordingOptions,
  RegisterTerms,
  Report,
  ReportedClient,
  RequestFrame,
  Snapshot,
  User,
  Waiting,
  WorldOptions,
  WorldRow,
} from "./types.js";
