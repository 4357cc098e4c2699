// What every file of the console builds on: rendering, words for times and people, the clipboard.
export {
  html,
  render,
  useState,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useCallback,
  useReducer,
} from "./vendor/preact.js";
import { useEffect, useReducer } from "./vendor/preact.js";

/** Renders a component again whenever the store, if there is one, says that something changed. */
export function useStore(store) {
  const [, again] = useReducer((count) => count + 1, 0);
  useEffect(() => store?.subscribe(again), [store]);
  return store;
}

export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** Names as people list them: "a, b and c". */
export const listed = (names) => [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");

/** A span of seconds as people say it, two units at most. */
export function span(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const units = [
    ["d", 86400],
    ["h", 3600],
    ["min", 60],
    ["s", 1],
  ];
  const at = units.findIndex(([, size]) => whole >= size);
  if (at < 0) return "0 s";
  const [unit, size] = units[at];
  const count = Math.floor(whole / size);
  const rest = units[at + 1] && Math.floor((whole % size) / units[at + 1][1]);
  return rest && count < 10 ? `${count} ${unit} ${rest} ${units[at + 1][0]}` : `${count} ${unit}`;
}

const DAY_S = 86400;

const formats = new Map();
function format(zone, options) {
  const key = zone + JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...options }));
  return formats.get(key);
}
export const clock = (seconds, zone) =>
  format(zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(seconds * 1000);
export const day = (seconds, zone) =>
  format(zone, { weekday: "short", day: "numeric", month: "short", year: "numeric" }).format(seconds * 1000);
export const moment = (seconds, zone) => `${day(seconds, zone)}, ${clock(seconds, zone)}`;
/** Real time of this machine, for milliseconds since 1970. */
export const realTime = (ms) =>
  format(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 }).format(ms);
/** The same to the second. */
export const realClock = (ms) =>
  format(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(ms);

const WALL_CLOCK = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
};

/** What clocks in a zone show, such as 2026-03-29T02:30:00. */
export function wallClock(seconds, zone) {
  const parts = format(zone, WALL_CLOCK).formatToParts(seconds * 1000);
  const shown = Object.fromEntries(parts.map((part) => [part.type, part.value]));
  return `${shown.year}-${shown.month}-${shown.day}T${shown.hour}:${shown.minute}:${shown.second}`;
}

/** By how much clocks in a zone are ahead of UTC, in seconds. */
const offset = (seconds, zone) => Date.parse(`${wallClock(seconds, zone)}Z`) / 1000 - Math.floor(seconds);

/** The same in words, such as +01:00. */
export function offsetText(seconds, zone) {
  const minutes = Math.round(offset(seconds, zone) / 60);
  const two = (number) => String(number).padStart(2, "0");
  return `${minutes < 0 ? "−" : "+"}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
}

/**
 * The instants at which clocks in a zone show a text such as 2026-03-29T02:30:00, in UNIX seconds: none where they are
 * put forward over it, two where they are put back.
 */
export function instants(text, zone) {
  const wanted = Date.parse(`${text}Z`) / 1000;
  const offsets = [-DAY_S, DAY_S].map((distance) => offset(wanted + distance, zone));
  return [...new Set(offsets)]
    .map((ahead) => wanted - ahead)
    .filter((seconds) => wallClock(seconds, zone) === text)
    .sort((one, other) => one - other);
}

export const handle = (email) => (email ?? "").split("@")[0];

export async function copy(text, toast, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied`);
  } catch {
    toast(`The browser refuses the clipboard: ${text}`, "bad");
  }
}

export const saved = (key, otherwise) => {
  try {
    return localStorage.getItem(`chatdouble.${key}`) ?? otherwise;
  } catch {
    return otherwise;
  }
};
export const save = (key, value) => {
  try {
    localStorage.setItem(`chatdouble.${key}`, value);
  } catch {
    /* Private windows keep nothing. */
  }
};

export function download(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
