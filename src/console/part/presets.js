// Faults, networks and rate limits that one click sets, and what a client sees of each.
import { handle } from "../lib.js";

const send = { method: "POST", path: "/messages" };
const upload = { method: "POST", path: "/user_uploads" };
const poll = { method: "GET", path: "/events" };
/** From this feature level on, a refused key has a code of its own (A-4). */
const KEY_CODE_LEVEL = 388;

const TOO_LARGE = "File is larger than this server's configured maximum upload size (100 MiB).";

const LOST =
  "No reply: the request is carried out, then the connection closes; repetitions by the browser are dropped too";

const others = (level) => [
  [
    "Next send is rate-limited",
    { match: send, times: 1, effect: { rate_limit: { retry_after: 5 } } },
    "429 RATE_LIMIT_HIT with Retry-After: 5; nothing is sent",
  ],
  [
    "Next send fails with 500",
    { match: send, times: 1, effect: { error: { status: 500 } } },
    "500 “Internal server error”; nothing is sent",
  ],
  [
    "Next two sends fail with 502",
    { match: send, times: 2, effect: { gateway: 502 } },
    "502 with a gateway’s HTML page for two messages; nothing is sent, and the third one arrives",
  ],
  [
    "Next upload is too large",
    { match: upload, times: 1, effect: { error: { status: 413, code: "BAD_REQUEST", msg: TOO_LARGE } } },
    "413 BAD_REQUEST, as beyond the organization's limit; nothing is stored",
  ],
  [
    "Next poll loses its queue",
    { match: poll, times: 1, effect: { lose_queue: true } },
    "400 BAD_EVENT_QUEUE_ID, as after a restart of the server: the client has to register again",
  ],
  [
    "Events arrive 5 s late",
    { match: poll, effect: { delay_ms: 5000 } },
    "From the next poll on, each reply comes 5 s late, until the fault is removed; what is sent goes through at once",
  ],
  loggedOut(level),
  [
    "Flaky 30 %",
    { probability: 0.3, effect: { gateway: 502 } },
    "502 with a gateway’s HTML page for three of ten requests, by chance; nothing is done",
  ],
];

/** Every request is refused as one with a key that no longer holds, until the fault is removed. */
function loggedOut(level) {
  const code = level !== null && level < KEY_CODE_LEVEL ? "UNAUTHORIZED" : "INVALID_API_KEY";
  return [
    "Logged out",
    { effect: { error: { status: 401, code, msg: "Invalid API key" } } },
    `401 ${code} for each request until the fault is removed: the client has to log in again`,
  ];
}

/**
 * Names, rules and what a client sees, at a feature level: for whoever sends the next request that fits. Browsers repeat a
 * dropped one by themselves, which is dropped too.
 */
export const presets = (level) => [
  ["Lose the next reply", { times: 1, effect: { drop: "after", retries: true } }, LOST],
  ...others(level),
  [
    "Offline",
    { effect: { drop: "before" } },
    "No reply: each connection closes before its request is carried out, until the fault is removed",
  ],
];

/** For one person, whose network may be offline: what a client that polls and types all the time meets at its next send or poll. */
export const personalPresets = (level) => [
  ["Lose the reply to the next send", { match: send, times: 1, effect: { drop: "after", retries: true } }, LOST],
  ...others(level),
];

/** The profiles of networks that control has, from the slowest to the fastest, then the lossy one, and what they are like. */
export const NETWORKS = [
  ["offline", "No reply: each connection closes before its request is carried out"],
  ["gprs", "Latency 500 ms, 50 kbit/s"],
  ["edge", "Latency 300 ms, 240 kbit/s"],
  ["3g", "Latency 150 ms, 1.6 Mbit/s"],
  ["4g", "Latency 50 ms, 12 Mbit/s"],
  ["wifi", "Latency 10 ms, 40 Mbit/s"],
  ["lossy", "Latency 100 ms, 1.6 Mbit/s, and of ten connections one breaks"],
];

/** What these networks have unless a call says otherwise: of `offline`, whatever it says makes no difference. */
export const PROFILES = {
  gprs: { latency_ms: 500, jitter_ms: 50, bytes_per_second: 6_250, loss: 0 },
  edge: { latency_ms: 300, jitter_ms: 30, bytes_per_second: 30_000, loss: 0 },
  "3g": { latency_ms: 150, jitter_ms: 15, bytes_per_second: 200_000, loss: 0 },
  "4g": { latency_ms: 50, jitter_ms: 5, bytes_per_second: 1_500_000, loss: 0 },
  wifi: { latency_ms: 10, jitter_ms: 1, bytes_per_second: 5_000_000, loss: 0 },
  lossy: { latency_ms: 100, jitter_ms: 10, bytes_per_second: 200_000, loss: 0.1 },
};

/** Rate limits: that of real servers, and tighter ones. */
export const RATE_LIMITS = [
  ["200 requests a minute", { requests: 200, seconds: 60 }, "The limit of real servers; then 429 with Retry-After"],
  ["10 requests a minute", { requests: 10, seconds: 60 }, "429 with Retry-After from the 11th request in a minute on"],
  [
    "1 request in 30 s",
    { requests: 1, seconds: 30 },
    "429 with Retry-After for each further request in 30 s; typing and reads count, so the first message may get it",
  ],
];

export const who = (user) => (user ? handle(user) : "everybody");

export const networkWords = ({ profile, latency_ms: latency, jitter_ms: jitter, bytes_per_second: rate, loss }) =>
  [
    profile,
    latency > 0 && `${latency} ms${jitter > 0 ? ` ± ${jitter}` : ""}`,
    rate && `${rate.toLocaleString("en")} bytes/s`,
    // That of an offline network is all of it.
    loss > 0 && loss < 1 && `loses ${Math.round(loss * 100)} %`,
  ]
    .filter(Boolean)
    .join(", ");

export const rateLimitWords = ({ requests, seconds }) => `${requests} requests in ${seconds} s`;
