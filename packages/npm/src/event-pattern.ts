/** Parts of events that tests expect, and how events are compared with them. */

import { ChatdoubleError } from "./error.js";
import {
  EVENT_KEYS,
  EVENT_MESSAGE_KEYS,
  EVENT_WORDS,
  OLDER_EVENT_KEYS,
  OLDER_EVENT_MESSAGE_KEYS,
} from "./event-keys.gen.js";
import { ALL_EVENT_TYPES, type EventType } from "./event-types.js";
import {
  checkJson,
  checkValues,
  isAsymmetric,
  isMatcher,
  matches,
  shown,
  type KindsOfKeys,
  type Matcher,
  type ObjectOf,
  type ValueOf,
  type WordOf,
  type WordsOfKeys,
} from "./event-values.js";
import { checkKeys, nearest as nearestOf, isNear } from "./keys.js";
import { short } from "./line.js";
import { checkCapabilities, type RecordedClient } from "./recorded-client.js";
import { checkKnown } from "./rules.js";

type Known = typeof EVENT_KEYS;
type Words = typeof EVENT_WORDS;
/** The values that parts of a pattern may have, by their types in JSON and their words. */
type Values<Kinds, Listed = object> = {
  -readonly [Key in keyof Kinds]?:
    Matcher | (Key extends keyof Listed ? Limited<Kinds[Key], Listed[Key]> : Unlimited<Kinds[Key]>);
};
type Unlimited<Kinds> = Kinds extends readonly (infer Type)[] ? ValueOf<Type> : never;
type Limited<Kinds, Listed> = Listed extends readonly (infer Word)[]
  ? WordOf<Word>
  : Kinds extends readonly (infer Type)[]
    ? ValueOf<Type, ObjectOf<Listed>>
    : never;
/** The parts of an event of a type. */
interface PartsOf<Type extends EventType> {
  /** The type of the event, as in the API. */
  type: Type;
}
/** The other keys of an event, with the API's names; any for types of which the keys are not known. */
type FurtherParts<Type> = Type extends "message"
  ? Values<Omit<Known["message"], "type" | "message">> & {
      /** Parts of the message. */
      message?: Matcher | Values<typeof EVENT_MESSAGE_KEYS, Words["message"]["message"]>;
    }
  : Type extends keyof Known
    ? Values<Omit<Known[Type], "type">, Type extends keyof Words ? Words[Type] : object>
    : { [key: string]: unknown };

/** Parts of an event; what is left out may have any value. */
export type EventPattern = { [Type in EventType]: PartsOf<Type> & FurtherParts<Type> }[EventType];
/** What no value is; the compiler's error shows it. */
interface NoFlags extends Matcher {
  "flags are those of one user: world.recordEvents({ user })": never;
}
/** Parts of an event before it is made for a client, without the flags that it has for one. */
export type WorldEventPattern = {
  [Type in EventType]: PartsOf<Type> & Omit<FurtherParts<Type>, "flags"> & { flags?: NoFlags };
}[EventType];

/** Throws for a pattern that no event can match: with `not`, it would hold always. */
export function checkPattern(pattern: EventPattern, recorded: readonly any[], client: RecordedClient): void {
  if (isAsymmetric(pattern)) return;
  checkKeys("the pattern of an event", pattern ?? null, null, 'type: "message"');
  checkJson(pattern);
  // A program that no compiler has seen may give any keys.
  const { type: given, message } = pattern as { type?: any; message?: unknown };
  const type: string | undefined = isMatcher(given) ? undefined : given;
  if (type !== undefined) checkKnown("event of the type", type, ALL_EVENT_TYPES);
  if (type !== undefined && client.types?.includes(type) === false)
    throw new ChatdoubleError(
      `the recorded client receives no event of the type '${type}': its event_types are ${client.types.join(", ")}`,
    );
  const alike = recorded.filter((event) => type === undefined || event.type === type);
  const keys = type === undefined ? ANY_KEYS : (EVENT_KEYS as Record<string, KindsOfKeys>)[type];
  // Of types that only older servers have, the keys are not known.
  if (keys === undefined) return;
  const whose = type === undefined ? "an event" : `an event of the type '${type}'`;
  checkParts(whose, pattern, Object.keys(keys), alike);
  if (!client.isOfUser) checkUnmade(pattern, alike);
  checkCapabilities(client, pattern, recorded);
  const { message: _message, ...words } = (EVENT_WORDS as Record<string, WordsOfKeys>)[type ?? ""] ?? {};
  if (message !== undefined && !isAsymmetric(message)) {
    checkKeys("message in the pattern of an event", message, null, 'content: "Hello"');
    const messages = alike.map((event) => event.message).filter(isPlain);
    checkParts("the message of an event", message as object, Object.keys(EVENT_MESSAGE_KEYS), messages);
    checkValues(
      "the message of an event",
      message as object,
      EVENT_MESSAGE_KEYS,
      EVENT_WORDS.message.message,
      messages,
    );
    checkSender((message as { sender_email?: unknown }).sender_email, messages);
    checkForm(client, (message as { content?: unknown }).content, messages);
  }
  checkValues(whose, pattern, keys, words, alike);
  if (type === "update_message") checkRendered(pattern, alike);
  checkFlags((pattern as { flags?: unknown }).flags, alike);
}

/** The keys of events of all types together. */
const ANY_KEYS = together(Object.values<KindsOfKeys>(EVENT_KEYS));
function together(all: readonly Readonly<Record<string, readonly string[]>>[]): Record<string, readonly string[]> {
  const lists: Record<string, readonly string[]> = {};
  for (const [key, values] of all.flatMap((one) => Object.entries(one)))
    lists[key] = [...new Set([...(lists[key] ?? []), ...values])];
  return lists;
}

/** Throws for the address of a sender that is none, such as a handle. */
function checkSender(address: unknown, recorded: readonly any[]): void {
  if (!isText(address) || address.includes("@") || recorded.some((one) => one.sender_email === address)) return;
  throw new ChatdoubleError(
    `the message of an event has an address as sender_email, not '${short(address)}': world.user(…) returns that of a handle`,
  );
}

/** Flags that messages have; there may be others. */
const FLAGS = [
  "collapsed",
  "force_collapse",
  "force_expand",
  "group_mentioned",
  "has_alert_word",
  "hide_link_previews",
  "historical",
  "mentioned",
  "read",
  "starred",
  "stream_wildcard_mentioned",
  "topic_wildcard_mentioned",
  "wildcard_mentioned",
];

/** Throws for a word that is like a flag and none: no document lists them all. */
function checkFlags(flags: unknown, recorded: readonly any[]): void {
  for (const flag of Array.isArray(flags) ? flags : []) {
    if (typeof flag !== "string" || FLAGS.includes(flag)) continue;
    const near = nearestOf(flag, FLAGS);
    if (isNear(flag, near) && !recorded.some((event) => event.flags?.includes(flag)))
      throw new ChatdoubleError(`a message has no flag '${flag}'; the nearest is '${near}'`);
  }
}

/** How HTML of a message begins. */
const HTML = /^<(p|div|ul|ol|blockquote|h[1-6]|hr|table)\b[^>]*>/;
/** What a text begins with that is HTML of a message; nothing else is rendered as no HTML. */
const TAG = "<";

/** Throws for a text of a message in another form than that in which the client of a user receives it. */
function checkForm(client: RecordedClient, content: unknown, recorded: readonly any[]): void {
  if (!client.isOfUser || !isText(content) || recorded.some((message) => message.content === content)) return;
  if (client.isHtml && !content.startsWith(TAG))
    throw new ChatdoubleError(
      `the recorded client receives the content of a message in HTML, not in Markdown: expect ${shown(`<p>${content}</p>`)}, ` +
        "a part of it by a regular expression or expect.stringContaining, or give register: { apply_markdown: false }",
    );
  if (!client.isHtml && HTML.test(content))
    throw new ChatdoubleError(
      "the recorded client receives the content of a message in Markdown, not in HTML, since it registers with " +
        "apply_markdown: false: expect the text as it was sent, or leave apply_markdown out",
    );
}

/** Throws for a text in another form than a changed message has it, for each client. */
function checkRendered(pattern: object, recorded: readonly any[]): void {
  for (const [key, other] of RENDERED) {
    const text = (pattern as Record<string, unknown>)[key];
    if (isText(text) && !text.startsWith(TAG) && !recorded.some((event) => event[key] === text))
      throw new ChatdoubleError(
        `an event of the type 'update_message' has HTML as ${key}; it has Markdown as ${other}`,
      );
  }
}

/** Keys of a changed message with HTML, each with the one that has Markdown. */
const RENDERED = [
  ["rendered_content", "content"],
  ["orig_rendered_content", "orig_content"],
] as const;

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Throws for what no event has before it is made for a client. */
function checkUnmade(pattern: object, recorded: readonly any[]): void {
  const { type, message, ...parts } = pattern as { type?: string; message?: any };
  const refused = (reason: string) =>
    new ChatdoubleError(`${reason}; record what one user's client receives, by world.recordEvents({ user: "mel" })`);
  if ("flags" in parts) throw refused("recordEvents() of all users records no flags of an event");
  const isRecorded = recorded.some((event) => event.message?.content === message?.content);
  if (typeof message?.content === "string" && HTML.test(message.content) && !isRecorded)
    throw refused("recordEvents() of all users records the content of a message in Markdown, not in HTML");
  const older = type === undefined ? [] : (OLDER_EVENT_KEYS[type as keyof typeof OLDER_EVENT_KEYS] ?? []);
  const messages = recorded.map((event) => event.message).filter(isPlain);
  for (const [value, keys, alike] of [
    [parts, older, recorded],
    [isPlain(message) ? message : {}, OLDER_EVENT_MESSAGE_KEYS, messages],
  ] as const)
    for (const name of Object.keys(value))
      if ((keys as readonly string[]).includes(name) && !alike.some((one) => name in one))
        throw refused(`recordEvents() of all users records the keys of the newest level, which lacks '${name}'`);
}

/** Names that other parts of the API have for keys of a message. */
const OTHER_NAMES = new Map([
  ["topic", "subject"],
  ["message_id", "id"],
  ["sender", "sender_email"],
]);

/** The most keys that an error lists. */
const LISTED_KEYS = 30;

/** Throws for the first key that is not known and that no recorded value has: a dialect may have keys of its own. */
function checkParts(whose: string, pattern: object, known: readonly string[], recorded: readonly any[]): void {
  for (const name of Object.keys(pattern)) {
    if (known.includes(name) || recorded.some((value) => name in value)) continue;
    const other = OTHER_NAMES.get(name) ?? "";
    const near = known.includes(other) ? other : nearestOf(name, known);
    const said =
      near === other || isNear(name, near) || known.length > LISTED_KEYS
        ? `the nearest is '${near}'`
        : `it has ${known.join(", ")}`;
    throw new ChatdoubleError(`${whose} has no key '${name}'; ${said}`);
  }
}

/** Whether a value has all parts of a pattern; a list has to be as long as that of the pattern. */
export function contains(value: any, pattern: any): boolean {
  if (isMatcher(pattern)) return matches(value, pattern);
  if (typeof pattern !== "object" || pattern === null) return value === pattern;
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(pattern)) return false;
  if (Array.isArray(pattern) && value.length !== pattern.length) return false;
  return Object.keys(pattern).every((key) => contains(value[key], pattern[key]));
}

/** How the event that differs least from a pattern differs, if any is of the same type. */
export function nearestTo(events: readonly any[], pattern: EventPattern): string {
  const { type } = pattern;
  const alike = events.filter((event) => isAsymmetric(pattern) || type === undefined || contains(event.type, type));
  const all = alike.map((event) => differences(event, pattern));
  const [least] = all.sort((one, other) => one.length - other.length);
  return least === undefined ? "" : `\nDifferences from the nearest event:\n${least.join("\n")}`;
}

/** The parts of a pattern that a value lacks, each with what is there instead. */
function differences(value: any, pattern: any, path = ""): string[] {
  if (contains(value, pattern)) return [];
  const isInside = isPlain(value) && isPlain(pattern) && !isMatcher(pattern);
  if (isInside)
    return Object.keys(pattern).flatMap((key) =>
      differences(value[key], pattern[key], path === "" ? key : `${path}.${key}`),
    );
  return [`- ${path}: ${shown(pattern)}\n+ ${path}: ${JSON.stringify(value) ?? "none"}`];
}

function isPlain(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
