/** Events that a world sends, collected while a test runs. */

import { ChatdoubleError } from "./error.js";
import { EVENT_KEYS, EVENT_MESSAGE_KEYS } from "./event-keys.gen.js";
import { ALL_EVENT_TYPES, type EventType } from "./event-types.js";
import { checkKeys, nearest as nearestOf, isNear } from "./keys.js";
import { afterMs, steadyMs } from "./real-time.js";
import { checkKnown } from "./rules.js";
import { PATIENCE_MS, type Frame, type Waiting } from "./types.js";

type Known = typeof EVENT_KEYS;
/** The parts of an event of a type. */
interface PartsOf<Type extends EventType> {
  /** The type of the event, as in the API. */
  type: Type;
}
/** The other keys of an event, with the API's names; any for types of which the keys are not known. */
type FurtherParts<Type> = Type extends "message"
  ? { [Key in Exclude<Known["message"][number], "type" | "message">]?: unknown } & {
      /** Parts of the message. */
      message?: { [Key in (typeof EVENT_MESSAGE_KEYS)[number]]?: unknown };
    }
  : Type extends keyof Known
    ? { [Key in Exclude<Known[Type][number], "type">]?: unknown }
    : { [key: string]: unknown };

/** Parts of an event; what is left out may have any value. */
export type EventPattern = { [Type in EventType]: PartsOf<Type> & FurtherParts<Type> }[EventType];

/** How long a recorder waits for what was sent before, in milliseconds. */
const CATCH_UP_MS = 1_000;
/** The most events that are kept; older ones are forgotten. */
const KEPT = 10_000;

/** The events that a world sends from the time on that this was made, until it is stopped. */
export class EventRecorder {
  readonly #frames: AsyncGenerator<Frame, void, undefined>;
  readonly #close: () => void;
  readonly #done: Promise<void>;
  #events: any[] = [];
  #waiting = new Set<() => void>();
  #ended: unknown = null;
  readonly #mark: () => Promise<number>;
  #marks = 0;

  /** @internal */
  constructor(
    frames: AsyncGenerator<Frame, void, undefined>,
    first: Promise<IteratorResult<Frame, void>>,
    close: () => void,
    /** Lets the world send a frame in which the clock moves by nothing; returns how many of them were sent. */
    mark: () => Promise<number>,
  ) {
    this.#frames = frames;
    this.#mark = mark;
    this.#close = close;
    this.#done = this.#read(first);
  }

  /** The events, oldest first, each as in the API. */
  get events(): readonly any[] {
    return this.#events;
  }

  /**
   * Waits until all events that were sent before are here; at most a second.
   * @internal
   */
  async catchUp(): Promise<void> {
    if (this.#ended !== null) return;
    const late = steadyMs() + CATCH_UP_MS;
    // A world that a test has deleted sends nothing more.
    const marks = await this.#mark().catch(() => 0);
    while (this.#marks < marks && this.#ended === null && steadyMs() < late) await this.#news(late - steadyMs());
  }

  /** Waits for an event that has these parts, for 3 s by default, and returns it; one that was sent before counts as well. */
  async waitFor(pattern: EventPattern, { timeoutMs = PATIENCE_MS }: Waiting = {}): Promise<any> {
    checkPattern(pattern, this.#events);
    const late = steadyMs() + timeoutMs;
    for (;;) {
      const found = this.#events.find((event) => contains(event, pattern));
      if (found !== undefined) return found;
      const left = late - steadyMs();
      if (!(left > 0) || this.#ended !== null) {
        const types = [...new Set(this.#events.map((event) => event.type))].join(", ") || "none";
        const reason = this.#ended instanceof Error ? `; the recording ended: ${this.#ended.message}` : "";
        const text = `no such event came; there were: ${types}${reason}${nearest(this.#events, pattern)}`;
        throw new ChatdoubleError(text, 408, "VERIFICATION_FAILED");
      }
      await this.#news(left);
    }
  }

  /** Waits until a frame comes or the recording ends, or for so many milliseconds. */
  #news(patienceMs: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const stop = afterMs(patienceMs, resolve);
      this.#waiting.add(() => {
        stop();
        resolve();
      });
    });
  }

  /** Ends the recording; the events stay. */
  async stop(): Promise<void> {
    this.#ended ??= true;
    this.#wake();
    this.#close();
    await this.#done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #read(first: Promise<IteratorResult<Frame, void>>): Promise<void> {
    try {
      for (let next = await first; !next.done && this.#ended === null; next = await this.#frames.next()) {
        if (isMark(next.value)) this.#marks++;
        else if (next.value.type !== "event") continue;
        else this.#events.push(next.value.event);
        if (this.#events.length > KEPT) this.#events.shift();
        this.#wake();
      }
      this.#ended ??= true;
    } catch (error) {
      this.#ended ??= error;
    }
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const wake of waiting) wake();
  }
}

/** Throws for a pattern that no event can match: with `not`, it would hold always. */
function checkPattern(pattern: EventPattern, recorded: readonly any[]): void {
  checkKeys("the pattern of an event", pattern ?? null, null, 'type: "message"');
  // A program that no compiler has seen may give any keys.
  const { type, message } = pattern as { type?: string; message?: unknown };
  if (type !== undefined) checkKnown("event of the type", type, ALL_EVENT_TYPES);
  const alike = recorded.filter((event) => type === undefined || event.type === type);
  const keys = type === undefined ? Object.values(EVENT_KEYS).flat() : EVENT_KEYS[type as keyof typeof EVENT_KEYS];
  // Of types that only older servers have, the keys are not known.
  if (keys === undefined) return;
  checkParts(type === undefined ? "an event" : `an event of the type '${type}'`, pattern, keys, alike);
  if (message === undefined) return;
  checkKeys("message in the pattern of an event", message, null, 'content: "Hello"');
  const messages = alike.map((event) => event.message).filter(isPlain);
  checkParts("the message of an event", message as object, EVENT_MESSAGE_KEYS, messages);
}

/** The most keys that an error lists. */
const LISTED_KEYS = 30;

/** Throws for the first key that is not known and that no recorded value has: a dialect may have keys of its own. */
function checkParts(whose: string, pattern: object, known: readonly string[], recorded: readonly any[]): void {
  for (const name of Object.keys(pattern)) {
    if (known.includes(name) || recorded.some((value) => name in value)) continue;
    const near = nearestOf(name, known);
    const said =
      isNear(name, near) || known.length > LISTED_KEYS ? `the nearest is '${near}'` : `it has ${known.join(", ")}`;
    throw new ChatdoubleError(`${whose} has no key '${name}'; ${said}`);
  }
}

/** Whether a value has all parts of a pattern; a list has to be as long as that of the pattern. */
export function contains(value: any, pattern: any): boolean {
  if (typeof pattern !== "object" || pattern === null) return value === pattern;
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(pattern)) return false;
  if (Array.isArray(pattern) && value.length !== pattern.length) return false;
  return Object.keys(pattern).every((key) => contains(value[key], pattern[key]));
}

/** Whether the clock moved by nothing; a running clock moves by microseconds meanwhile. */
function isMark(frame: Frame): boolean {
  return frame.type === "clock" && frame.fired?.length === 0 && frame.now - frame.from < 0.001;
}

/** How the event that differs least from a pattern differs, if any is of the same type. */
function nearest(events: readonly any[], pattern: EventPattern): string {
  const alike = events.filter((event) => pattern.type === undefined || event.type === pattern.type);
  const all = alike.map((event) => differences(event, pattern));
  const [least] = all.sort((one, other) => one.length - other.length);
  return least === undefined ? "" : `\nDifferences from the nearest event:\n${least.join("\n")}`;
}

/** The parts of a pattern that a value lacks, each with what is there instead. */
function differences(value: any, pattern: any, path = ""): string[] {
  if (contains(value, pattern)) return [];
  const isInside = isPlain(value) && isPlain(pattern);
  if (isInside)
    return Object.keys(pattern).flatMap((key) =>
      differences(value[key], pattern[key], path === "" ? key : `${path}.${key}`),
    );
  return [`- ${path}: ${JSON.stringify(pattern)}\n+ ${path}: ${JSON.stringify(value) ?? "none"}`];
}

function isPlain(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
