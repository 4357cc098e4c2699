// An instant as people enter it: what clocks in a time zone show.
import { instants, offsetText, wallClock } from "../lib.js";

/** Years of more digits are read otherwise. */
export const LATEST = "9999-12-31T23:59:59";

/** What was entered, with the seconds that browsers leave out where they are zero. */
export const withSeconds = (entered) => entered.replace(/T\d\d:\d\d$/, "$&:00");

/**
 * The instant at which clocks in a zone show what was entered, in UNIX seconds as `at`, or as `refused` why there is none.
 * `note` says which of two instants it is.
 */
export function instantOf(entered, zone) {
  const text = withSeconds(entered);
  const hour = text.split("T")[1];
  const [first, second] = instants(text, zone);
  if (first === undefined)
    return { refused: `Clocks in ${zone} are put forward over ${hour} on that day: choose another hour` };
  if (second === undefined) return { at: first };
  const note = `It is ${hour} twice on that day: this is the first time, at UTC ${offsetText(first, zone)}`;
  return { at: first, note };
}

/** What clocks in a zone show on the day after an instant, at an hour such as 09:00:00. */
export function nextDay(seconds, zone, hour) {
  const noon = new Date(`${wallClock(seconds, zone).split("T")[0]}T12:00:00Z`);
  noon.setUTCDate(noon.getUTCDate() + 1);
  return `${noon.toISOString().split("T")[0]}T${hour}`;
}
