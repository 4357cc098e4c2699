/** The names of the rules of the report, as `chatdouble rules` lists them, and what to say of others. */

import { ChatdoubleError } from "./error.js";
import { nearest } from "./keys.js";

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
  "json-instead-of-form",
  "parameters-in-query-and-body",
  "credentials-in-query",
  "id-as-text",
  "upload-address-encoded-twice",
  "deprecated-operation",
  "deprecated-parameter",
  "deprecated-event-type",
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
  throw new ChatdoubleError(`there is no ${what} '${text}'; the nearest is '${nearest(text, known)}'`);
}
