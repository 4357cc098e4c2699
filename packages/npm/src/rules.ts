/** The names of the rules of the report, as `chatdouble rules` lists them, and what to say of others. */

import { ChatdoubleError } from "./error.js";

export const RULES = [
  "dead-queue-polled",
  "queue-not-replaced",
  "registered-again",
  "queue-left-behind",
  "unknown-event-acknowledged",
  "acknowledgement-backwards",
  "event-id-of-another-queue",
  "events-never-acknowledged",
  "polls-without-progress",
  "concurrent-polls",
  "polls-without-waiting",
  "long-poll-cut-short",
  "refused-request-repeated",
  "retry-before-retry-after",
  "retry-without-backoff",
  "refused-credentials-repeated",
  "send-repeated-blindly",
  "ignored-parameter",
  "deprecated-operation",
  "deprecated-parameter",
  "deprecated-event-type",
  "json-instead-of-form",
  "parameters-in-query-and-body",
  "credentials-in-query",
  "id-as-text",
  "upload-address-encoded-twice",
  "whole-history-fetched",
  "flags-one-by-one",
  "users-fetched-again",
  "register-everything",
  "capability-undeclared",
  "stops-after-unknown-event",
  "stops-after-odd-reply",
  "repeated-event-acted-on",
  "gone-at-later-level",
  "renamed-at-later-level",
  "deprecated-at-later-level",
] as const;
/** The name of a rule of the report. */
export type Rule = (typeof RULES)[number];

/** From the least severe on. */
export const SEVERITIES = ["note", "warning", "error"] as const;

/** Throws if a word is none of the known ones, with the nearest of them. */
export function checkKnown(what: string, given: unknown, known: readonly string[]): void {
  if (typeof given === "string" && known.includes(given)) return;
  const text = String(given);
  const [nearest] = [...known].sort((a, b) => distance(text, a) - distance(text, b));
  throw new ChatdoubleError(`there is no ${what} '${text}'; the nearest is '${nearest}'`);
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
