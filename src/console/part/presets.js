// Faults that one click arms.

const send = { method: "POST", path: "/messages" };
const poll = { method: "GET", path: "/events" };

/** For whoever sends the next request that fits; browsers repeat a dropped one by themselves, which is dropped too. */
export const PRESETS = [
  ["Lose the next reply", { times: 1, effect: { drop: "after", retries: true } }],
  ["Next send is rate-limited", { match: send, times: 1, effect: { rate_limit: { retry_after: 5 } } }],
  ["Next poll loses its queue", { match: poll, times: 1, effect: { lose_queue: true } }],
  ["Flaky 30 %", { probability: 0.3, effect: { error: { status: 502, code: "BAD_GATEWAY", msg: "Bad gateway" } } }],
  ["Offline", { effect: { drop: "before" } }],
];

/** The profiles of networks that control has, worst first. */
export const NETWORKS = ["offline", "gprs", "edge", "3g", "4g", "wifi", "lossy"];

/** Rate limits: that of real servers, and tighter ones. */
export const RATE_LIMITS = [
  ["200 requests a minute", { requests: 200, seconds: 60 }],
  ["10 requests a minute", { requests: 10, seconds: 60 }],
  ["1 request in 30 s", { requests: 1, seconds: 30 }],
];

/** For one person: what a client that polls and types all the time meets at its next send or poll. */
export const PERSONAL_PRESETS = [
  ["Lose the reply to the next send", { match: send, times: 1, effect: { drop: "after", retries: true } }],
  ...PRESETS.slice(1),
];
