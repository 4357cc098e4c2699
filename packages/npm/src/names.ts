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

/** The value with control's keys. */
export function toWire(value: unknown): unknown {
  return renamed(value, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

/** The value with the keys of this package. */
export function fromWire(value: unknown): unknown {
  return renamed(value, (name) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
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
