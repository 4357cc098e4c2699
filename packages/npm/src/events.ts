/** Events that a world sends, collected while a test runs. */

import { ChatdoubleError } from "./error.js";
import { checkPattern, contains, nearestTo, type EventPattern } from "./event-pattern.js";
import { checkLevel, type RecordedClient } from "./recorded-client.js";
import { afterMs, steadyMs } from "./real-time.js";
import { PATIENCE_MS, type Frame, type Waiting } from "./types.js";

/** How long a recorder waits for what was sent before, in milliseconds. */
const CATCH_UP_MS = 1_000;
/** The most events that are kept; older ones are forgotten. */
const KEPT = 10_000;

/**
 * The events that a world sends from the time on that this was made, until it is stopped: those of all users, or of one as their
 * client receives them.
 */
export class EventRecorder<Pattern extends EventPattern = EventPattern> {
  readonly #frames: AsyncGenerator<Frame, void, undefined>;
  readonly #close: () => void;
  readonly #done: Promise<void>;
  #events: any[] = [];
  #waiting = new Set<() => void>();
  #ended: unknown = null;
  #isStopped = false;
  readonly #mark: () => Promise<number>;
  #marks = 0;

  /** @internal */
  constructor(
    frames: AsyncGenerator<Frame, void, undefined>,
    first: Promise<IteratorResult<Frame, void>>,
    close: () => void,
    /** Lets the world send a frame in which the clock moves by nothing; returns how many of them were sent. */
    mark: () => Promise<number>,
    /** The client that receives the events. */
    private readonly client: RecordedClient,
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
   * Whether `stop` ended it, so that it lacks later events.
   * @internal
   */
  get isStopped(): boolean {
    return this.#isStopped;
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
  async waitFor(pattern: Pattern, { timeoutMs = PATIENCE_MS }: Waiting = {}): Promise<any> {
    checkPattern(pattern, this.#events, this.client);
    await checkLevel(this.client, pattern, this.#events);
    const late = steadyMs() + timeoutMs;
    for (;;) {
      const found = this.#events.find((event) => contains(event, pattern));
      if (found !== undefined) return found;
      const left = late - steadyMs();
      if (!(left > 0) || this.#ended !== null) {
        const types = [...new Set(this.#events.map((event) => event.type))].join(", ") || "none";
        const text = `no such event came; there were: ${types}${this.#end()}${nearestTo(this.#events, pattern)}`;
        throw new ChatdoubleError(text, 408, "VERIFICATION_FAILED");
      }
      await this.#news(left);
    }
  }

  /** Why it has no later events, for the text of an error. */
  #end(): string {
    if (this.#isStopped) return "; the recorder was stopped before, by recorder.stop()";
    return this.#ended instanceof Error ? `; the recording ended: ${this.#ended.message}` : "";
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
    if (this.#ended === null) this.#isStopped = true;
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

/** Whether the clock moved by nothing; a running clock moves by microseconds meanwhile. */
function isMark(frame: Frame): boolean {
  return frame.type === "clock" && frame.fired?.length === 0 && frame.now - frame.from < 0.001;
}
