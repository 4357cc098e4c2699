/** Events that a world sends, collected while a test runs. */

import { ChatdoubleError } from "./error.js";
import type { Frame, Waiting } from "./types.js";

/** Parts of an event; what is left out may have any value. */
export interface EventPattern {
  /** The type of the event, as in the API. */
  type?: string;
  /** Other keys, with the API's names. */
  [key: string]: unknown;
}

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

  /** @internal */
  constructor(
    frames: AsyncGenerator<Frame, void, undefined>,
    first: Promise<IteratorResult<Frame, void>>,
    close: () => void,
  ) {
    this.#frames = frames;
    this.#close = close;
    this.#done = this.#read(first);
  }

  /** The events, oldest first, each as in the API. */
  get events(): readonly any[] {
    return this.#events;
  }

  /** Waits for an event that has these parts, and returns it; one that was sent before counts as well. */
  async waitFor(pattern: EventPattern, { timeoutMs = 5_000 }: Waiting = {}): Promise<any> {
    const late = Date.now() + timeoutMs;
    for (;;) {
      const found = this.#events.find((event) => contains(event, pattern));
      if (found !== undefined) return found;
      const left = late - Date.now();
      if (left <= 0 || this.#ended !== null) {
        const types = [...new Set(this.#events.map((event) => event.type))].join(", ") || "none";
        const reason = this.#ended instanceof Error ? `; the recording ended: ${this.#ended.message}` : "";
        throw new ChatdoubleError(`no such event came; there were: ${types}${reason}`, 408, "VERIFICATION_FAILED");
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
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
        if (next.value.type !== "event") continue;
        this.#events.push(next.value.event);
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

/** Whether a value has all parts of a pattern; a list has to be as long as that of the pattern. */
export function contains(value: any, pattern: any): boolean {
  if (typeof pattern !== "object" || pattern === null) return value === pattern;
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(pattern)) return false;
  if (Array.isArray(pattern) && value.length !== pattern.length) return false;
  return Object.keys(pattern).every((key) => contains(value[key], pattern[key]));
}
