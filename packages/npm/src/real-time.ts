/** Real time, also where a test runner has put fake timers in the place of the global ones. */

import { performance } from "node:perf_hooks";
import * as timers from "node:timers";

// Taken now: fake timers replace those of the module too.
const [set, clear] = [timers.setTimeout, timers.clearTimeout];

/** Calls back after so many milliseconds; returns what ends that. */
export function afterMs(delay: number, callback: () => void): () => void {
  const timer = set(callback, delay);
  return () => clear(timer);
}

const now = performance.now.bind(performance);

/** A steady time in milliseconds, of which only differences mean something. */
export function steadyMs(): number {
  return now();
}
