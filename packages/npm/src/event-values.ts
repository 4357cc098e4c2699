/** Values in patterns of events: matchers of the test runner, and values that no event has. */

import { ChatdoubleError } from "./error.js";
import { isNear, isPlainObject, nearest, noValue } from "./keys.js";
import { short } from "./line.js";

/** What a test runner's `expect.any(Number)` returns; runners declare it in different ways. */
export interface Matcher {
  asymmetricMatch?: (value: any) => unknown;
}

interface JsonTypes {
  string: string | RegExp;
  number: number;
  boolean: boolean;
  null: null;
}
/** The values of a type in JSON, as a pattern has them; objects are `Parts`. */
export type ValueOf<Type, Parts = object> = Type extends `${infer Element}[]`
  ? readonly (ValueOf<Element, Parts> | Matcher)[]
  : Type extends "object"
    ? Parts
    : Type extends keyof JsonTypes
      ? JsonTypes[Type]
      : unknown;
/** What is limited to words, as a pattern has it; texts may be regular expressions. */
export type WordOf<Word> = Word extends string ? RegExp | Spelled<Word> : Word;
type Spelled<Word> = Word extends `*${infer End}` ? `${string}${End}` : Word;
/** An object of which some keys are limited to words. */
export type ObjectOf<Listed> = Listed extends { "*": infer Each }
  ? { readonly [key: string]: PartOf<Each> }
  : { readonly [Key in keyof Listed]?: PartOf<Listed[Key]> } & { readonly [other: string]: unknown };
type PartOf<Listed> =
  | Matcher
  | (Listed extends readonly (infer Word)[]
      ? WordOf<Word> | null
      : ObjectOf<Listed> | readonly (ObjectOf<Listed> | Matcher)[]);

/** For each key the types of its values: `string[]` for a list of texts, `unknown` where no document says it. */
export type KindsOfKeys = Readonly<Record<string, readonly string[]>>;
/** The words to which a value is limited; an asterisk at the beginning is any text. */
type Words = readonly (string | number)[];
/** For keys that have no other values, their words, and those of the keys of their objects; an asterisk is any key. */
export interface WordsOfKeys {
  readonly [key: string]: Words | WordsOfKeys;
}

const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice("[object ".length, -1);

/** Compares a value with a matcher of a runner whose matchers can't be asked. */
let askRunner: ((value: unknown, matcher: unknown) => boolean) | undefined;

/** Lets a runner compare its matchers, which have no method for it. */
export function matchBy(ask: (value: unknown, matcher: unknown) => boolean): void {
  askRunner = ask;
}

/** Whether only the runner can compare this; the matchers of Bun have nothing but a name. */
function isOpaque(value: unknown): boolean {
  return askRunner !== undefined && /^Expect[A-Z]/.test(tagOf(value));
}

function isRegExp(value: unknown): value is RegExp {
  // A runner may run tests with classes of their own.
  return tagOf(value) === "RegExp";
}

/** Whether this is a matcher of a runner, whose values can't be foreseen. */
export function isAsymmetric(value: any): boolean {
  return typeof value?.asymmetricMatch === "function" || isOpaque(value);
}

export function isMatcher(value: unknown): boolean {
  return isAsymmetric(value) || isRegExp(value);
}

/** Whether a matcher accepts a value. */
export function matches(value: unknown, matcher: any): boolean {
  // A copy begins at the start of the text, also if the expression is global.
  if (isRegExp(matcher)) return typeof value === "string" && new RegExp(matcher.source, matcher.flags).test(value);
  if (isOpaque(matcher)) return askRunner?.(value, matcher) ?? false;
  return Boolean(matcher.asymmetricMatch(value));
}

/** A pattern as text: JSON in which matchers have their names. */
export function shown(pattern: any): string {
  if (isRegExp(pattern)) return String(pattern);
  if (isOpaque(pattern)) return inspected(pattern);
  if (isAsymmetric(pattern)) return nameOf(pattern);
  if (Array.isArray(pattern)) return `[${pattern.map(shown).join(",")}]`;
  if (typeof pattern !== "object" || pattern === null) return JSON.stringify(pattern) ?? "none";
  const parts = Object.entries(pattern).map(([key, value]) => `${JSON.stringify(key)}:${shown(value)}`);
  return `{${parts.join(",")}}`;
}

function inspected(matcher: unknown): string {
  const { Bun } = globalThis as { Bun?: { inspect(value: unknown): string } };
  return Bun?.inspect(matcher) ?? tagOf(matcher);
}

function nameOf(matcher: any): string {
  const [long, name] = [matcher.toAsymmetricMatcher?.(), String(matcher)];
  if (typeof long === "string") return long;
  const known = name.startsWith("[object") ? (matcher.constructor?.name ?? "a matcher") : name;
  return "sample" in matcher ? `${known} ${shown(matcher.sample)}` : known;
}

/** Throws for values that no event can have, since JSON has none of them, at any depth. */
export function checkJson(pattern: unknown, path = ""): void {
  const where = path === "" ? "the pattern of an event" : `${path} in the pattern of an event`;
  if (isAsymmetric(pattern) || (isRegExp(pattern) && path !== "")) return;
  if (pattern === undefined) throw new ChatdoubleError(noValue(where));
  const isNumber = typeof pattern === "number" && Number.isFinite(pattern);
  if (pattern === null || isNumber || typeof pattern === "string" || typeof pattern === "boolean") return;
  if (Array.isArray(pattern)) {
    // An element that is missing counts too.
    Array.from(pattern).forEach((element, at) => checkJson(element, `${path}[${at}]`));
    return;
  }
  if (typeof pattern !== "object" || !isPlainObject(pattern))
    throw new ChatdoubleError(
      `${where} takes a value of JSON or a matcher such as expect.any(Number), not ${kindOf(pattern)}`,
    );
  for (const [key, value] of Object.entries(pattern)) checkJson(value, path === "" ? key : `${path}.${key}`);
}

function kindOf(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  return `an object of ${value.constructor?.name ?? tagOf(value)}`;
}

/** Throws for a value that its key has at no level, unless a recorded event has it: a dialect may have its own. */
export function checkValues(
  whose: string,
  pattern: object,
  kinds: KindsOfKeys,
  words: WordsOfKeys,
  recorded: readonly any[],
): void {
  for (const [key, value] of Object.entries(pattern)) {
    const [known, listed] = [own(kinds, key), own<Words | WordsOfKeys>(words, key)];
    if (known === undefined || isAsymmetric(value)) continue;
    const others = recorded.map((one) => one[key]);
    const isRecorded = !Array.isArray(value) && others.some((other) => tagOf(other) === tagOf(value));
    if (!isRecorded && !fits(value, known))
      throw new ChatdoubleError(`${whose} has ${spoken(known)} as ${key}, not ${described(value)}`);
    if (listed !== undefined) checkWords(whose, key, value, listed, others);
  }
}

/** Throws for a text or a number that is none of the words of its place, at any depth. */
function checkWords(whose: string, place: string, value: unknown, words: Words | WordsOfKeys, recorded: any[]): void {
  if (isMatcher(value) || value === null) return;
  const others = recorded.flatMap((one) => one);
  if (Array.isArray(value)) {
    for (const element of value) checkWords(whose, place, element, words, others);
  } else if (isListed(words)) {
    if (typeof value === "object" || words.some((word) => isWord(value, word)) || others.includes(value)) return;
    throw new ChatdoubleError(`${whose} has no ${place} ${quoted(value)}; ${instead(value, place, words)}`);
  } else if (typeof value === "object") {
    for (const [key, part] of Object.entries(value)) {
      const inner = own(words, key) ?? own(words, "*");
      const parts = others.filter((other) => typeof other === "object" && other !== null).map((other) => other[key]);
      if (inner !== undefined) checkWords(whose, `${place}.${key}`, part, inner, parts);
    }
  }
}

function isListed(words: Words | WordsOfKeys): words is Words {
  return Array.isArray(words);
}

function isWord(value: unknown, word: string | number): boolean {
  const isEnd = typeof value === "string" && typeof word === "string" && word.startsWith("*");
  return isEnd ? value.endsWith(word.slice(1)) : value === word;
}

function own<Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

/** The most words that an error lists. */
const LISTED_WORDS = 10;

function instead(given: unknown, place: string, words: Words): string {
  const texts = words.filter((word): word is string => typeof word === "string" && word !== "");
  const near = nearest(String(given), texts);
  const isGuess = typeof given === "string" && texts.length > 0 && (isNear(given, near) || words.length > LISTED_WORDS);
  return isGuess || texts.length === 1 ? `the nearest is '${near}'` : `${place} is ${oneOf(words.map(spelled))}`;
}

/** A text in quotes, and anything else as JSON. */
function quoted(value: unknown): string {
  return typeof value === "string" ? `'${short(value)}'` : shown(value);
}

function spelled(word: string | number): string {
  return word === "" ? '""' : String(word);
}

/** Whether a value is of one of these types, as far as documents say it. */
function fits(value: unknown, kinds: readonly string[]): boolean {
  if (kinds.includes("unknown") || isAsymmetric(value)) return true;
  if (isRegExp(value)) return kinds.includes("string");
  if (value === null) return kinds.includes("null");
  if (!Array.isArray(value)) return kinds.includes(typeof value);
  const elements = kinds.filter((kind) => kind.endsWith("[]")).map((kind) => kind.slice(0, -2));
  return elements.length > 0 && value.every((element) => fits(element, elements));
}

const SINGLE: Record<string, string> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  null: "null",
  object: "an object",
};
const SEVERAL: Record<string, string> = { string: " of texts", number: " of numbers", object: " of objects" };

function spoken(kinds: readonly string[]): string {
  const named = kinds.map((kind) => SINGLE[kind] ?? `a list${SEVERAL[kind.slice(0, -2)] ?? ""}`);
  // What a key has most of the time comes first.
  return oneOf([...named].sort((one, other) => Number(one === "null") - Number(other === "null")));
}

function oneOf(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function described(value: unknown): string {
  if (isRegExp(value)) return `a text like ${value}`;
  if (Array.isArray(value)) return `the list ${short(shown(value))}`;
  const kind = { string: "the text ", number: "the number ", object: "the object " }[typeof value as string] ?? "";
  return `${value === null ? "" : kind}${short(shown(value))}`;
}
