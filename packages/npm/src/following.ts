/** The calls of a test's world, of which each has to return before the test ends. */

import { ChatdoubleError, OWN_FRAME } from "./error.js";
import type { EventRecorder } from "./events.js";
import type { InstalledFault, World } from "./world.js";

// Their methods decide, not their classes: a process may have loaded this package twice, by `import` and by `require`.
export function isWorld(value: any): value is World {
  return typeof value?.journal?.verify === "function" && typeof value.recordEvents === "function";
}

export function isRecorder(value: any): value is EventRecorder {
  return typeof value?.catchUp === "function" && typeof value.waitFor === "function";
}

function isFault(value: any): value is InstalledFault {
  return typeof value?.waitFired === "function" && typeof value.remove === "function";
}

/** What a matcher returns to its runner. */
export interface Matched {
  pass: boolean;
  message: () => string;
}

/** A call that has not returned. */
interface Call {
  name: string;
  /** Made where the test called it. */
  place: Error;
  promise?: Promise<unknown>;
  /** Whether its test ended before it returned. */
  isForgotten?: boolean;
}

/** The calls of a test that have not returned, by each of its objects. */
const unfinished = new WeakMap<object, Set<Call>>();

/** The world, of which each call is known until it returns, also those of its parts, its server and what they return. */
export function followed(world: World): World {
  const calls = new Set<Call>();
  follow(world, "world", calls);
  follow(world.server, "world.server", calls);
  return world;
}

/** Follows the calls of an object, and of its parts. */
function follow(object: object, name: string, calls: Set<Call>): void {
  if (unfinished.has(object)) return;
  unfinished.set(object, calls);
  for (const method of Object.getOwnPropertyNames(Object.getPrototypeOf(object))) {
    const call = (object as any)[method];
    if (typeof call !== "function" || OF_ADAPTERS.includes(method)) continue;
    const wrapped = (...given: unknown[]): unknown =>
      known(`${name}.${method}`, calls, () => call.apply(object, given), wrapped);
    Object.defineProperty(object, method, { value: wrapped, enumerable: false });
  }
  if (!isWorld(object)) return;
  for (const [part, value] of Object.entries(object))
    if (typeof value === "object" && part !== "server") follow(value, `${name}.${part}`, calls);
}

/** What the adapters of runners call, not tests. */
const OF_ADAPTERS: readonly string[] = ["constructor", "completeWorlds", "again", "catchUp"];

/** Makes a call that is known until it returns. */
function known<Result>(
  name: string,
  calls: Set<Call>,
  make: (call: Call) => Result,
  /** What the test called: the lines above it would be of the few that a stack has. */
  called: (...given: any[]) => unknown,
): Result {
  const call: Call = { name, place: new Error() };
  Error.captureStackTrace(call.place, called);
  // Before the calls that this one makes.
  calls.add(call);
  try {
    const made = make(call);
    if (isPromise(made)) return (call.promise = settled(made, call, calls)) as Result;
    calls.delete(call);
    return made;
  } catch (error) {
    calls.delete(call);
    throw error;
  }
}

function isPromise(value: any): value is Promise<unknown> {
  return typeof value?.then === "function";
}

async function settled(made: Promise<unknown>, call: Call, calls: Set<Call>): Promise<unknown> {
  try {
    const result = await made;
    if (isWorld(result)) follow(result, "fork", calls);
    else if (isFault(result)) follow(result, "fault", calls);
    else if (isRecorder(result)) follow(result, "recorder", calls);
    return result;
  } catch (error) {
    placeAt(error, call.place);
    throw error;
  } finally {
    calls.delete(call);
  }
}

/** A matcher of which the objects of its test know until it returns. */
export function awaited<Given extends [object, ...any[]]>(
  name: string,
  matcher: (this: { isNot?: boolean }, ...given: Given) => Promise<Matched>,
): (this: { isNot?: boolean } | void, ...given: Given) => Promise<Matched> {
  const asked = function (this: { isNot?: boolean } | void, ...given: Given): Promise<Matched> {
    const [object] = given as unknown[];
    const calls = (isWorld(object) || isRecorder(object) ? unfinished.get(object) : undefined) ?? new Set<Call>();
    return known(name, calls, (call) => unlessForgotten(call, matcher.apply(this ?? {}, given), this?.isNot), asked);
  };
  // Bun shows it.
  return Object.defineProperty(asked, "name", { value: name });
}

/**
 * What a matcher returns, or that it holds if its test has failed because of it: its world is gone by then, and runners would
 * report that as a second error.
 */
async function unlessForgotten(call: Call, matched: Promise<Matched>, isNot = false): Promise<Matched> {
  const [result] = await Promise.allSettled([matched]);
  if (call.isForgotten) return { pass: !isNot, message: () => `${call.name} was not awaited` };
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

/** The error for the first call that has not returned, if there is one. */
export function forgottenIn(world: World): ChatdoubleError | undefined {
  const calls = [...(unfinished.get(world) ?? [])];
  // They fail when the world is deleted, which would be reported for a later test.
  for (const call of calls) {
    call.isForgotten = true;
    call.promise?.catch(() => {});
  }
  const [first] = calls;
  if (first === undefined) return undefined;
  const error = new ChatdoubleError(`${first.name} had not returned when the test ended: await it`);
  placeAt(error, first.place);
  return error;
}

/** Gives an error the caller's lines, which it lacks where the call was not awaited, or where a runner's own lines are many. */
function placeAt(error: any, place: Error): void {
  if (error?.name !== "ChatdoubleError") return;
  const isFrame = (line: string) => /^\s+at /.test(line);
  const callers = (place.stack ?? "").split("\n").filter((line) => isFrame(line) && !OWN_FRAME.test(line));
  if (callers.length === 0) return;
  const lines = String(error.stack).split("\n");
  error.stack = [...lines.filter((line) => !isFrame(line)), ...callers].join("\n");
}
