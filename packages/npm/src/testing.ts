/** Code shared by the fixtures of all test runners. */

import { completed, saidByServers, serverOfRun } from "./run.js";
import type { StartOptions } from "./start.js";
import type {
  Assertion,
  AwaitedPushes,
  Finding,
  FindingFilter,
  ReportedClient,
  Waiting,
  WorldOptions,
} from "./types.js";
import { counted } from "./assertion.js";
import { ChatdoubleError, isRefusal } from "./error.js";
import type { EventPattern } from "./event-pattern.js";
import { shown } from "./event-values.js";
import type { EventRecorder } from "./events.js";
import { onceRead, withDocuments } from "./files.js";
import { awaited, followed, forgottenIn, isRecorder, isWorld, type Matched } from "./following.js";
import {
  ASSERTION,
  AWAITED_PUSHES,
  checkFixtures,
  checkKeys,
  checkValued,
  FINDING_FILTER,
  START_OPTIONS,
  TEST_OPTIONS,
  WAITING,
  WORLD_OPTIONS,
} from "./keys.js";
import { indented, requestLine, short } from "./line.js";
import { checkKnown, RULES, SEVERITIES } from "./rules.js";
import { addressOf } from "./names.js";
import type { World } from "./world.js";

/** How many journal entries a failed test shows. */
const SHOWN = 10;

/** The name of the console as a client. */
const CONSOLE = "chatdouble-console";

/** What the servers said before this test began, and no failed test has shown. */
const saidBefore: string[] = [];

/** The number of the last request to `default` when a test's world was made; 0 before the first. */
const lastOfDefault = new WeakMap<World, number>();

/** The tests for which worlds were made: tests that run at once share their output. */
const labels = new WeakMap<World, string>();

/** Makes a world for a test: a fork of `default`, or as the options say. */
export async function worldFor(label: string, wanted: WorldOptions, serve: StartOptions = {}): Promise<World> {
  checkKeys("serverOptions", serve, START_OPTIONS);
  checkKeys("worldOptions", wanted, WORLD_OPTIONS);
  const options = withDocuments(completed(wanted, serve), "worldOptions.", onceRead);
  // An object of the test's own, whose calls are followed.
  const server = (await serverOfRun(serve)).again();
  server.completeWorlds((made) => completed(made, serve));
  const origin = options.fixture === undefined ? { forkOf: "default" } : {};
  try {
    const latest = server.world().journal.entries({ limit: 1 });
    const making = server.createWorld({ label, ...origin, ...options });
    const [made, [last]] = await Promise.all([making, latest.catch(() => [])]);
    lastOfDefault.set(made, last?.id ?? 0);
    const world = followed(made);
    labels.set(world, label);
    return world;
  } catch (error) {
    if (!(error instanceof ChatdoubleError) || !error.message.startsWith("$")) throw error;
    throw new ChatdoubleError(inSettings(error.message, wanted, serve), error.status, error.code, error.body);
  } finally {
    // The server also says what earlier tests did when a world is forked.
    saidBefore.push(...saidByServers());
  }
}

/** What control says of a world's options, with the setting that they come from. */
function inSettings(said: string, wanted: WorldOptions, serve: StartOptions): string {
  const name = /^\$\.(\w+)/.exec(said)?.[1] as keyof WorldOptions & keyof StartOptions;
  const isOfServer = wanted[name] === undefined && serve[name] !== undefined;
  const given = isOfServer ? serve[name] : wanted[name];
  const source = /^\$\.\w+[.[]/.test(said) && typeof given === "string" ? ` (in ${given})` : "";
  return `${isOfServer ? "serverOptions" : "worldOptions"}${said.slice(1)}${source}`;
}

/** What a runner says of an error. */
interface Failure {
  name?: string;
  code?: unknown;
  message?: string;
  stack?: string;
}

/**
 * Deletes a test's world. If the test failed, prints the last journal entries first, and what the server said; if it passed without a
 * request to its world, those that `default` got instead.
 */
export async function end(
  world: World,
  /** Why the test failed; null if it passed. */
  failures: readonly Failure[] | null,
  print: (text: string) => void,
): Promise<void> {
  const unreturned = forgottenIn(world);
  const forgotten = failures === null ? unreturned : undefined;
  if (failures !== null || forgotten !== undefined) {
    const lines = await lastLines(world).catch(() => undefined);
    // A test that a refused call ended, or that did not wait for its calls, may not have come to its client yet.
    const isSilent = lines?.length === 0 && (failures === null || failures.some(isRefusedCall));
    if (lines !== undefined && !isSilent) print(lastRequests(world, lines));
    if (lines?.length === 0 && !isSilent) await warnOfDefault(world, print);
    const [before, during] = [saidBefore.splice(0), saidByServers()];
    printSaid("What chatdouble said before this test", before, print);
    printSaid("What chatdouble said during this test", during, print);
    const isSaid = during.some((said) => said.includes("--dialect"));
    const neutral = isSaid ? undefined : await neutralName(world).catch(() => undefined);
    if (neutral !== undefined) print(neutralNames(world, neutral));
  } else {
    await warnOfDefault(world, print);
  }
  // A test may have deleted it.
  await world[Symbol.asyncDispose]();
  if (forgotten !== undefined) throw forgotten;
}

function printSaid(title: string, lines: readonly string[], print: (text: string) => void): void {
  if (lines.length > 0) print(`${title}:\n${lines.map(inOptions).map(indented).join("\n")}`);
}

function isRefusedCall(failure: Failure | undefined): boolean {
  return failure?.name === "ChatdoubleError" && failure.code !== "VERIFICATION_FAILED";
}

/** A neutral name that another dialect replaces, in a reply. */
const NEUTRAL_NAME = /\b((?:realm_)?service_\w+)\\*":/;

/** A neutral name that a client got, with its request. */
interface NeutralName {
  name: string;
  request: string;
}

/** The first neutral name in replies to a test's clients, if its world has such names. */
async function neutralName(world: World): Promise<NeutralName | undefined> {
  const { journal } = world;
  // A client asks one of them for the version of the server, long before its last requests.
  const first = ["/server_settings", "/register"].map((path) => journal.entries({ path, status: 200, limit: 1 }));
  const entries = [...(await Promise.all(first)).flat(), ...(await journal.entries({ status: 200, limit: SHOWN }))];
  for (const { method, path, reply } of entries) {
    const name = NEUTRAL_NAME.exec(JSON.stringify(reply))?.[1];
    if (name === undefined) continue;
    const rows = await world.server.worlds({ prefix: world.name });
    const isNeutral = rows.some((row) => row.name === world.name && row.dialect === "neutral");
    return isNeutral ? { name, request: `${method} ${path}` } : undefined;
  }
  return undefined;
}

function neutralNames(world: World, { name, request }: NeutralName): string {
  const option = 'worldOptions: { dialect: "zulip" }, or CHATDOUBLE_DIALECT=zulip for all tests';
  return `${world.name} has neutral names, such as ${name} in the reply to ${request}; a client of the real server needs Zulip's own, by ${option}`;
}

/** What the server said, with the option of tests that is the same as that of its command line. */
function inOptions(said: string): string {
  return said.replace(/needs --dialect (\w+)$/, 'needs --dialect $1, in tests worldOptions: { dialect: "$1" }');
}

/** The last requests to a world: those of its journal, which have been answered, and the polls that wait. */
async function lastLines(world: World): Promise<string[]> {
  const entries = await world.journal.entries({ limit: SHOWN });
  const parked = (await world.queues.list()).filter((queue) => queue.parked);
  const waiting = parked.slice(0, SHOWN).map(({ user }) => `waiting: GET /events${user === null ? "" : ` of ${user}`}`);
  if (parked.length > SHOWN) waiting.push(`waiting: ${parked.length - SHOWN} more`);
  return [...entries.map(requestLine), ...waiting];
}

function lastRequests(world: World, lines: readonly string[]): string {
  const { name, url } = world;
  const label = labels.get(world);
  const whose = label === undefined ? name : `${name} (${short(label)})`;
  if (lines.length > 0) return `The last requests to ${whose}:\n${lines.map(indented).join("\n")}`;
  const trust = url.startsWith("https:")
    ? "; a client has to trust world.server.tlsCa, a browser in Playwright by ignoreHTTPSErrors"
    : "";
  const hint = "; an error that the client got has the reason in its header X-Chatdouble-Hint";
  return `No request reached ${whose} at ${url}${trust}${hint}`;
}

/** Prints what `default` got during a test whose world got nothing: mostly the client has the server's own address. */
async function warnOfDefault(world: World, print: (text: string) => void): Promise<void> {
  // A test may have deleted its world, and ended its server.
  const lines = await linesOfDefault(world).catch(() => []);
  if (lines.length === 0) return;
  const given = `a client that is to reach ${world.name} takes world.url`;
  print(`The world default got requests during this test, and ${world.name} none; ${given}:\n${lines.join("\n")}`);
}

async function linesOfDefault(world: World): Promise<string[]> {
  const before = lastOfDefault.get(world) ?? Infinity;
  // First, since it mostly got none: then each test costs one call.
  const entries = await world.server.world().journal.entries({ limit: SHOWN });
  const since = entries.filter(({ id, client }) => id > before && client !== CONSOLE);
  if (since.length === 0 || (await world.journal.entries({ limit: 1 })).length > 0) return [];
  // A poll that waits is not in the journal yet, nor is what came before the journal was emptied.
  return (await world.queues.list()).length > 0 ? [] : since.map(requestLine).map(indented);
}

function checkWorld(matcher: string, given: unknown): void {
  if (!isWorld(given)) throw new ChatdoubleError(`${matcher} takes a world, not ${kind(given)}`);
}

function checkRecorder(given: unknown): void {
  if (!isRecorder(given))
    throw new ChatdoubleError(`toHaveEvent takes what world.recordEvents() returns, not ${kind(given)}`);
}

/** What a value is, in a few words. */
function kind(value: unknown): string {
  if (value instanceof Promise) return "a promise: await it first";
  if (isWorld(value)) return "a world";
  if (isRecorder(value)) return "a recorder of events";
  if (value === null || typeof value !== "object") return short(String(value));
  return `an object of ${value.constructor?.name ?? "no class"}`;
}

/** The matcher `toHaveReceived`: checks at once, or waits for the given time. */
async function received(
  this: { isNot?: boolean },
  world: World,
  assertion: Assertion,
  waiting: Waiting = {},
): Promise<Matched> {
  checkWorld("toHaveReceived", world);
  checkKeys("toHaveReceived", assertion ?? null, ASSERTION, 'path: "/messages"');
  checkKeys("the second argument of toHaveReceived", waiting, WAITING);
  try {
    // With `not`, the wait ends early where it comes.
    const count = await counted(world, assertion, waiting);
    const methods = this.isNot ? await methodsOf(world, assertion) : "";
    return {
      pass: true,
      message: () =>
        `${world.name} received ${count} such ${count === 1 ? "request" : "requests"}: ${JSON.stringify(assertion)}${methods}`,
    };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const methods = await methodsOf(world, assertion);
    return { pass: false, message: () => `${error.message}\n${JSON.stringify(assertion)}${methods}` };
  }
}

/** The methods of the requests that were counted, where an assertion names none and there were several. */
async function methodsOf(world: World, assertion: Assertion): Promise<string> {
  const { method, path, user, status, fault, params = {} } = assertion;
  if (method !== undefined) return "";
  const filter = Object.fromEntries(
    Object.entries({ path, user, status, fault }).filter(([, value]) => value !== undefined),
  );
  const entries = await world.journal.entries(filter).catch(() => []);
  const counts = new Map<string, number>();
  for (const entry of entries)
    if (Object.entries(params).every(([name, value]) => entry.params[name] === value))
      counts.set(entry.method, (counts.get(entry.method) ?? 0) + 1);
  return counts.size < 2 ? "" : `\nCounted: ${[...counts].map(([name, count]) => `${count} ${name}`).join(", ")}`;
}

/** Throws for what `toHavePushed` has no option for, though other matchers have. */
function checkAwaited(wanted: AwaitedPushes): void {
  const given = Object.keys(typeof wanted === "object" ? (wanted ?? {}) : {});
  const counted = given.find((name) => name === "exactly" || name === "atMost");
  if (counted !== undefined)
    throw new ChatdoubleError(`toHavePushed has no option '${counted}'; world.pushes.list() has all pushes`);
  checkKeys("toHavePushed", wanted, AWAITED_PUSHES, 'user: "mel"');
  if (wanted?.atLeast === 0) throw new ChatdoubleError("atLeast: 0 always holds; did you mean .not.toHavePushed?");
  checkValued(wanted);
}

/** The matcher `toHavePushed`: checks at once, or waits for the given time. */
async function pushed(
  this: { isNot?: boolean },
  world: World,
  wanted: AwaitedPushes = {},
  waiting: Waiting = {},
): Promise<Matched> {
  checkWorld("toHavePushed", world);
  checkAwaited(wanted);
  checkKeys("the second argument of toHavePushed", waiting, WAITING);
  const { atLeast = 1, ...filter } = wanted;
  const timeoutMs = waiting.timeoutMs ?? 0;
  let found = await world.pushes.list(filter);
  if (found.length < atLeast && timeoutMs > 0)
    found = await world.pushes.waitFor(wanted, { timeoutMs }).catch(() => world.pushes.list(filter));
  const pass = found.length >= atLeast;
  const details = pass === Boolean(this.isNot) ? await pushDetails(world, addressOf(wanted.user)) : "";
  const expected = this.isNot ? (atLeast === 1 ? "none" : `less than ${atLeast}`) : `at least ${atLeast}`;
  const message = () =>
    `${world.name} pushed ${times(found.length)} (${JSON.stringify(wanted)}), ${expected} expected${details}`;
  return { pass, message };
}

/** The pushes that there were, and whether the user has a device that gets them. */
async function pushDetails(world: World, user: string | undefined): Promise<string> {
  const all = await world.pushes.list();
  const listed = all.slice(-SHOWN).map(({ user, kind, deviceId, payload }) => {
    const { content } = (payload ?? {}) as { content?: unknown };
    return `  ${kind} to ${user}, device ${deviceId}${typeof content === "string" ? `: ${short(content)}` : ""}`;
  });
  const pushes = listed.length > 0 ? `\nThe last pushes:\n${listed.join("\n")}` : "\nThere were no pushes";
  if (user === undefined || (await hasPushDevice(world, user))) return pushes;
  return `${pushes}\n${user} has no device that receives pushes`;
}

async function hasPushDevice(world: World, handle: string): Promise<boolean> {
  const user = await world.user(handle).catch(() => undefined);
  // Whoever is deactivated gets no pushes, with or without a device.
  if (user === undefined) return true;
  const { realm } = await world.state();
  const own = realm?.personal?.[user.id];
  const devices: any[] = Object.values(own?.devices ?? {});
  return own?.push_tokens?.length > 0 || devices.some((device) => device.push_token_id !== null);
}

/** The matcher `toHaveEvent`: checks what was sent until now, or waits for the given time. */
async function sent(
  this: { isNot?: boolean },
  recorder: EventRecorder,
  pattern: EventPattern,
  waiting: Waiting = {},
): Promise<Matched> {
  checkRecorder(recorder);
  checkKeys("the second argument of toHaveEvent", waiting, WAITING);
  const timeoutMs = waiting.timeoutMs ?? 0;
  // Events come on a connection of their own, and may be behind the reply of the request that caused them.
  if (timeoutMs === 0) await recorder.catchUp();
  try {
    const event = await recorder.waitFor(pattern, { timeoutMs });
    return { pass: true, message: () => `this event was sent: ${JSON.stringify(event)}` };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (this.isNot && timeoutMs > 0 && recorder.isStopped)
      throw new ChatdoubleError(
        `.not.toHaveEvent can't watch for ${timeoutMs} ms: the recorder was stopped, by recorder.stop(); assert before it, or leave out timeoutMs`,
      );
    return { pass: false, message: () => `${error.message}\n${shown(pattern)}` };
  }
}

/** What is no finding yet while a test runs. */
const NOT_YET =
  "\nQueues that clients leave behind are found when the world is deleted: chatdouble exec --report FILE --fail-on note";

/** The matcher `toHaveNoFindings`: what the world's clients did until now. */
async function hasNoFindings(world: World, filter: FindingFilter = {}): Promise<Matched> {
  checkWorld("toHaveNoFindings", world);
  checkKeys("toHaveNoFindings", filter, FINDING_FILTER);
  checkValued(filter);
  const { severity = "warning", except = [] } = filter;
  checkKnown("severity", severity, SEVERITIES);
  for (const rule of except) checkKnown("rule", rule, RULES);
  const counts = (finding: Finding) =>
    SEVERITIES.indexOf(finding.severity) >= SEVERITIES.indexOf(severity) &&
    !except.some((rule) => rule === finding.rule);
  const { clients } = await world.report();
  const found = clients.flatMap((client) =>
    client.findings.filter(counts).map((finding) => findingText(client, finding)),
  );
  const until = severity === "note" ? NOT_YET : "";
  const message = () =>
    found.length > 0
      ? `${world.name} has findings:\n${found.join("\n")}${until}`
      : `${world.name} has no findings, and should have some${until}`;
  return { pass: found.length === 0, message };
}

function times(count: number): string {
  return count === 1 ? "1 time" : `${count} times`;
}

function findingText(client: ReportedClient, finding: Finding): string {
  const { severity, rule, message, count, first, help } = finding;
  const id = first.journalId === null ? "" : ` (journal ${first.journalId})`;
  const who = `${client.client}${client.user ? ` (${client.user})` : ""}`;
  return `  ${severity} ${rule}: ${message}, ${times(count)} by ${who}\n      ${first.request}${id}\n      ${help}`;
}

export const toHaveEvent = awaited("toHaveEvent", sent);
export const toHaveReceived = awaited("toHaveReceived", received);
export const toHavePushed = awaited("toHavePushed", pushed);
export const toHaveNoFindings = awaited("toHaveNoFindings", hasNoFindings);

/** The matchers, as the runners that know `expect.extend` take them. */
export const matchers = { toHaveEvent, toHaveNoFindings, toHavePushed, toHaveReceived };

/** The parts of events that a recorder has; those of any where what is expected of has no type. */
type PatternOf<Given> = 0 extends 1 & Given
  ? EventPattern
  : Given extends EventRecorder<infer Known>
    ? Known
    : EventPattern;

/** What no result of `expect` is; the compiler's error shows it. */
interface Takes<What extends string> {
  "this matcher takes": What;
}
/** The result of `expect`, if it is about what a matcher takes; of Bun's `not`, the type is unknown. */
type About<Given, Taken, What extends string> = unknown extends Given
  ? unknown
  : [Given] extends [Taken]
    ? unknown
    : Takes<What>;
// Their methods decide, not their classes: the types that `import` and `require` load are two.
type AboutWorld<Given> = About<Given, { journal: { verify: unknown }; recordEvents: unknown }, "a world">;
type AboutRecorder<Given> = About<Given, { events: unknown; waitFor: unknown }, "what world.recordEvents() returns">;

/** What the matchers add to the results of `expect`. */
export interface WorldMatchers<Result, Given = any> {
  /**
   * Asserts that the world received such requests: now, or within `timeoutMs`; with `exactly: 0` or only `atMost`, for the whole of
   * that time. Without a `method`, those of each method of the path count.
   */
  toHaveReceived(this: AboutWorld<Given>, assertion: Assertion, waiting?: Waiting): Result;
  /** Asserts that the world handed such pushes to the push relay: now, or within `timeoutMs`. */
  toHavePushed(this: AboutWorld<Given>, wanted?: AwaitedPushes, waiting?: Waiting): Result;
  /**
   * Asserts of `world.recordEvents()` that an event with these parts was sent: until now, or within `timeoutMs`. A part may be a
   * matcher such as `expect.any(Number)`, and that of a text a regular expression.
   */
  toHaveEvent(this: AboutRecorder<Given>, pattern: PatternOf<Given>, waiting?: Waiting): Result;
  /**
   * Asserts that no client of the world broke a rule of the report until now. `queue-left-behind` is known only when the world is
   * deleted.
   */
  toHaveNoFindings(this: AboutWorld<Given>, filter?: FindingFilter): Result;
}

/** How the tests of a file make their worlds. */
export interface TestOptions {
  /**
   * How the tests' server is started: one for all tests with the same options. Where CHATDOUBLE_URL names one, `clock`, `dialect`,
   * `featureLevel`, `fixture` and `seed` are those of the tests' worlds, `tls` is the server's own, and others are refused.
   */
  serverOptions?: StartOptions;
  /** How the world is made; a fork of `default` unless a `fixture` is given. */
  worldOptions?: WorldOptions;
}

/** The options of tests together with further ones, of which the last given wins. */
export function extended(options: TestOptions, more: TestOptions): TestOptions {
  checkKeys("extend", more, TEST_OPTIONS);
  checkFixtures("extend", more);
  return { ...options, ...more };
}

/** Runs the body of a test with a world of its own. */
export async function inWorld<Result>(
  name: string,
  options: TestOptions,
  body: (world: World) => Result | Promise<Result>,
): Promise<Result> {
  const world = await worldFor(name, options.worldOptions ?? {}, options.serverOptions);
  let failures: Failure[] | null = null;
  try {
    return await body(world);
  } catch (error) {
    failures = [error as Failure];
    throw error;
  } finally {
    await end(world, failures, (text) => console.error(text));
  }
}
