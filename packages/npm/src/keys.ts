/** Names of options, checked where no compiler does it. */

import { ChatdoubleError } from "./error.js";
import type { StartOptions } from "./start.js";
import type {
  Assertion,
  AwaitedPushes,
  FindingFilter,
  Firing,
  Jump,
  RecordingOptions,
  RegisterTerms,
  Waiting,
  Whose,
  WorldOptions,
} from "./types.js";

/** The names of a type's keys; the compiler sees that none is missing. */
function keysOf<Options>(keys: Record<keyof Required<Options>, true>): readonly string[] {
  return Object.keys(keys);
}

export const START_OPTIONS = keysOf<StartOptions>({
  clock: true,
  controlToken: true,
  corsOrigin: true,
  dialect: true,
  featureLevel: true,
  fixture: true,
  host: true,
  hostName: true,
  log: true,
  noRootWorld: true,
  open: true,
  port: true,
  portFile: true,
  seed: true,
  state: true,
  stateEvery: true,
  tls: true,
  tlsCaFile: true,
  tlsCert: true,
  tlsKey: true,
  tlsName: true,
  webhooks: true,
  worldTtl: true,
});
export const WORLD_OPTIONS = keysOf<WorldOptions>({
  name: true,
  fixture: true,
  forkOf: true,
  snapshot: true,
  featureLevel: true,
  dialect: true,
  clock: true,
  seed: true,
  listen: true,
  label: true,
  idleTtlSeconds: true,
  replace: true,
});
export const TEST_OPTIONS = ["serverOptions", "worldOptions"] as const;
export const ASSERTION = keysOf<Assertion>({
  method: true,
  path: true,
  user: true,
  status: true,
  params: true,
  fault: true,
  exactly: true,
  atLeast: true,
  atMost: true,
});
export const AWAITED_PUSHES = keysOf<AwaitedPushes>({ user: true, deviceId: true, since: true, atLeast: true });
export const WAITING = keysOf<Waiting>({ timeoutMs: true });
export const FIRING = keysOf<Firing>({ times: true, timeoutMs: true });
export const WHOSE = keysOf<Whose>({ user: true });
export const RECORDING = keysOf<RecordingOptions>({ user: true, register: true });
export const REGISTERING = keysOf<RegisterTerms>({
  all_public_streams: true,
  apply_markdown: true,
  client_capabilities: true,
  client_gravatar: true,
  event_types: true,
  narrow: true,
  slim_presence: true,
});
export const JUMP = keysOf<Jump>({ waitForClientsMs: true });
export const FINDING_FILTER = keysOf<FindingFilter>({ severity: true, except: true });

/** Throws for what is no object, and for the first key that is not known, with the nearest. */
export function checkKeys(
  where: string,
  given: unknown,
  /** Null for any. */
  known: readonly string[] | null,
  example = `${known?.[0]}: …`,
): void {
  if (given === undefined) return;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new ChatdoubleError(`${where} takes an object such as { ${example} }, not ${JSON.stringify(given)}`);
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && known?.includes(name) === false) throw unknown(where, name, known);
  }
}

/** Throws for a key that is there without a value, at any depth: what selects or asserts would do so less than it says. */
export function checkValued(given: unknown, path = ""): void {
  if (Array.isArray(given)) {
    given.forEach((element, at) => checkValued(element, `${path}[${at}]`));
    return;
  }
  if (typeof given !== "object" || given === null || !isPlainObject(given)) return;
  for (const [name, value] of Object.entries(given)) {
    const key = path === "" ? name : `${path}.${name}`;
    if (value === undefined) throw new ChatdoubleError(noValue(key));
    if (value === null) throw new ChatdoubleError(`${key} takes no null: leave the key out for any`);
    checkValued(value, key);
  }
}

/** What to say of a key that is there without a value. */
export function noValue(where: string): string {
  return `${where} has no value: leave the key out`;
}

/** Whether an object is of no class; those of another realm have another `Object`. */
export function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Throws where something is given to a call that takes nothing. */
export function checkNone(where: string, given: readonly unknown[]): void {
  if (given.length > 0) throw new ChatdoubleError(`${where} takes nothing, not ${JSON.stringify(given[0])}`);
}

/** Options of worlds that can't be meant as other fixtures. */
const UNMISTAKABLE = ["dialect", "featureLevel", "forkOf", "idleTtlSeconds"];

/** Throws for a misspelled option of a test, among fixtures of any name. */
export function checkFixtures(where: string, given: unknown): void {
  if (typeof given !== "object" || given === null) return;
  for (const [name, value] of Object.entries(given)) {
    if (isMisspelled(name)) throw unknown(where, name, TEST_OPTIONS);
    if (UNMISTAKABLE.includes(name) && typeof value !== "function" && !Array.isArray(value))
      throw new ChatdoubleError(`${where} takes ${name} as worldOptions: { ${name}: ${JSON.stringify(value)} }`);
    // A fixture may be a value, or a value with how it is provided.
    const options = Array.isArray(value) ? value[0] : value;
    // A fixture may also be a function.
    if (typeof options === "function") continue;
    if (name === "serverOptions") checkKeys(name, options, START_OPTIONS);
    if (name === "worldOptions") checkKeys(name, options, WORLD_OPTIONS);
  }
}

/** Whether a name is so like an option's that it can't be meant as another. */
function isMisspelled(name: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, "");
  return TEST_OPTIONS.some((known) => name !== known && distance(plain(name), plain(known)) <= 2);
}

/** What matchers are given before how long to wait. */
const AWAITED: readonly unknown[] = [ASSERTION, AWAITED_PUSHES];

function unknown(where: string, name: string, known: readonly string[]): ChatdoubleError {
  if (AWAITED.includes(known) && /^timeout(_?ms)?$/i.test(name))
    return new ChatdoubleError(`${where} takes timeoutMs in an argument of its own: { timeoutMs: 100 }`);
  const near = nearest(name, known);
  // A long name may have more mistakes.
  const isGuess = distance(name, near) <= Math.max(2, Math.floor(near.length / 3));
  const instead = isGuess ? `did you mean '${near}'?` : `it takes ${known.join(", ")}`;
  return new ChatdoubleError(`${where} has no option '${name}'; ${instead}`);
}

/** The known word that differs least from one that was given. */
export function nearest(given: string, known: readonly string[]): string {
  const [least] = [...known].sort((one, other) => distance(given, one) - distance(given, other));
  return least ?? "";
}

/** Whether one word may be another one with a mistake. */
export function isNear(given: string, known: string): boolean {
  return distance(given, known) <= Math.min(2, known.length - 1);
}

/** How many letters have to be inserted, removed or replaced to make one text of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const replaced = row[to - 1]! + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[to]! + 1, next[to - 1]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}
