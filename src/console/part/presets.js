// Faults that one click arms.

const send = { method: "POST", path: "/messages" };
const poll = { method: "GET", path: "/events" };

const LOST =
  "The request is carried out, and the connection closes without a reply; repetitions by the browser are dropped";
const OTHERS = [
  [
    "Next send is rate-limited",
    { match: send, times: 1, effect: { rate_limit: { retry_after: 5 } } },
    "429 with Retry-After: 5; nothing is sent",
  ],
  [
    "Next poll loses its queue",
    { match: poll, times: 1, effect: { lose_queue: true } },
    "BAD_EVENT_QUEUE_ID, as after a restart of the server: the client has to register again",
  ],
  [
    "Flaky 30 %",
    { probability: 0.3, effect: { error: { status: 502, code: "BAD_GATEWAY", msg: "Bad gateway" } } },
    "Three of ten requests, by chance, are answered with 502; nothing is done",
  ],
];

/** For whoever sends the next request that fits; browsers repeat a dropped one by themselves, which is dropped too. */
export const PRESETS = [
  ["Lose the next reply", { times: 1, effect: { drop: "after", retries: true } }, LOST],
  ...OTHERS,
  ["Offline", { effect: { drop: "before" } }, "Every connection closes before its request is carried out"],
];

/** The profiles of networks that control has, worst first, and what they are like. */
export const NETWORKS = [
  ["offline", "Every connection closes before its request is carried out"],
  ["gprs", "Latency 500 ms, 50 kbit/s"],
  ["edge", "Latency 300 ms, 240 kbit/s"],
  ["3g", "Latency 150 ms, 1.6 Mbit/s"],
  ["4g", "Latency 50 ms, 12 Mbit/s"],
  ["wifi", "Latency 10 ms, 40 Mbit/s"],
  ["lossy", "Latency 100 ms, 1.6 Mbit/s, and of ten connections one breaks"],
];

/** Rate limits: that of real servers, and tighter ones. */
export const RATE_LIMITS = [
  ["200 requests a minute", { requests: 200, seconds: 60 }],
  ["10 requests a minute", { requests: 10, seconds: 60 }],
  ["1 request in 30 s", { requests: 1, seconds: 30 }],
];

/** For one person, whose network may be offline: what a client that polls and types all the time meets at its next send or poll. */
export const PERSONAL_PRESETS = [
  ["Lose the reply to the next send", { match: send, times: 1, effect: { drop: "after", retries: true } }, LOST],
  ...OTHERS,
];
