/** Names of keys: camel case here, snake case on the wire. */

/** Keys whose values are not control's own: the keys inside are not renamed, in requests and in replies. */
export type Foreign =
  | "params"
  | "error"
  | "change"
  | "payload"
  | "wire"
  | "envelope"
  | "reply"
  | "event"
  | "state"
  | "fixture"
  | "dialect"
  | "names"
  | "body";

const FOREIGN = new Set<string>([
  "params",
  "error",
  "change",
  "payload",
  "wire",
  "envelope",
  "reply",
  "event",
  "state",
  "fixture",
  "dialect",
  "names",
  "body",
] satisfies Foreign[]);

/** Keys that control names in messages, where they are of more than one word. */
export const MESSAGE_KEYS = [
  "advance_seconds",
  "at_least",
  "at_most",
  "bytes_per_second",
  "delay_ms",
  "device_id",
  "feature_level",
  "fork_of",
  "full_name",
  "idle_ttl_seconds",
  "jitter_ms",
  "latency_ms",
  "link_seconds",
  "lose_queue",
  "per_second",
  "pseudo_localize",
  "rate_limit",
  "retry_after",
  "seen_by",
  "thumbnail_seconds",
  "timeout_ms",
  "to_next",
  "truncate_at",
  "wait_for_clients_ms",
];

/** What control said of a request, with the keys of this package. */
export function spelled(message: string, sent: unknown): string {
  const path = /^\$[\w.[\]]*/.exec(message)?.[0] ?? "";
  // What is within a document has the names of the document.
  if (path.split(/[.[\]]/).some((name) => FOREIGN.has(name))) return message;
  const known = new Set([...MESSAGE_KEYS, ...keysIn(sent)]);
  return message.replace(/[a-z][a-z0-9]*(?:_[a-z0-9]+)+/g, (word) => (known.has(word) ? camelCase(word) : word));
}

/** All keys of a value, but for those that are not control's own. */
function keysIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...(FOREIGN.has(name) ? [] : keysIn(inner))]);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The address of a user as `world.user` returns them; any other value as it is. */
export function addressOf<Given>(user: Given): string | Exclude<Given, object> {
  const { email } = (typeof user === "object" ? (user ?? {}) : {}) as { email?: unknown };
  // Control refuses another object.
  return typeof email === "string" ? email : (user as Exclude<Given, object>);
}

/** What a call is given, with the address of the user that it is about, also of the user whose requests a fault is for. */
export function addressed(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  const { user, match } = given as { user?: unknown; match?: unknown };
  const isMatch = typeof match === "object" && match !== null && "user" in match;
  return {
    ...given,
    ...(user === undefined ? {} : { user: addressOf(user) }),
    ...(isMatch ? { match: { ...match, user: addressOf(match.user) } } : {}),
  };
}

/** The value with control's keys. */
export function toWire(value: unknown): unknown {
  return renamed(value, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

/** The value with the keys of this package. */
export function fromWire(value: unknown): unknown {
  return renamed(value, camelCase);
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    pairs.map(([name, inner]) => [rename(name), FOREIGN.has(name) ? inner : renamed(inner, rename)]),
  );
}
