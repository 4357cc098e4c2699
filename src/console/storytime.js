// Times in a story, as scenarios have them.

/** By how much a time may be off that was computed, in seconds. */
export const EPSILON_S = 0.001;

const MICROSECONDS = 1e6;

/** Whether a number of seconds is whole. */
export const isWhole = (seconds) => Math.abs(seconds - Math.round(seconds)) < 1 / MICROSECONDS;

/** An instant in UNIX seconds as a text: to the microsecond, as worlds have it, unless the second is whole. */
export function instantText(seconds) {
  const microseconds = Math.round(seconds * MICROSECONDS);
  const fraction = microseconds % MICROSECONDS;
  const second = new Date((microseconds - fraction) / 1000).toISOString().slice(0, -".000Z".length);
  return fraction ? `${second}.${String(fraction).padStart(6, "0").replace(/0+$/, "")}Z` : `${second}Z`;
}

/** An instant of a world as UNIX seconds, to the microsecond. */
export function secondsOf(text) {
  const [, second, fraction = ""] = text.match(/^(.*?)(\.\d+)?Z$/);
  return Number(`${Date.parse(`${second}Z`) / 1000}${fraction}`);
}

/** A span of whole seconds, such as 1h30m. */
export function placeholderSpan(seconds) {
  const units = [
    ["d", 86_400],
    ["h", 3600],
    ["m", 60],
    ["s", 1],
  ];
  let rest = Math.round(seconds);
  return units
    .map(([unit, size]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return count ? `${count}${unit}` : "";
    })
    .join("");
}

/** A time so many seconds from now. */
export const nowPlaceholder = (seconds) =>
  seconds === 0 ? "{{now}}" : `{{now ${seconds < 0 ? "-" : "+"}${placeholderSpan(Math.abs(seconds))}}}`;
