// The world's time as a line: what fell due, now, and what is due. Its scale is logarithmic, so that a minute and a year fit.
import { html, moment, plural, span } from "../lib.js";

const YEAR = 366 * 86_400;
/** The place of the present, and the room on both sides, in percent of the width. */
const NOW = 24;
const BEFORE = 22;
const AFTER = 74;
/** The distance within which things share a mark, in percent of the width. */
const MARK = 2.2;
const MOST = 1_000;
/** Things that fell due long ago are in Live. */
const PAST = 50;

const TICKS = [
  [-86_400, "−1 d"],
  [-3_600, "−1 h", "wide"],
  [-60, "−1 min", "wide"],
  [60, "1 min"],
  [3_600, "1 h"],
  [86_400, "1 d"],
  [7 * 86_400, "1 w", "wide"],
  [30 * 86_400, "30 d"],
  [365 * 86_400, "1 y"],
];

/** The place of something that is so many seconds from now, in percent of the width. */
export function placeOf(seconds) {
  const share = Math.min(1, Math.log1p(Math.abs(seconds)) / Math.log1p(YEAR));
  return seconds < 0 ? NOW - share * BEFORE : NOW + share * AFTER;
}

/** Things that would cover each other, as one mark each. */
function marks(items, now) {
  const found = [];
  for (const item of items) {
    const place = placeOf(item.at - now);
    const last = found.at(-1);
    if (last && last.isPast === item.isPast && place - last.place < MARK) last.items.push(item);
    else found.push({ place, isPast: item.isPast, items: [item] });
  }
  return found;
}

/** What the page saw fall due, oldest first. */
function fired(world) {
  const found = [];
  for (let at = world.entries.length - 1; at >= 0 && found.length < PAST; at -= 1) {
    const { kind, frame } = world.entries[at];
    if (kind === "clock")
      for (const item of frame.fired) if (item.kind !== "heartbeat") found.push({ ...item, isPast: true });
  }
  return found.filter((item) => item.at <= world.time()).sort((one, other) => one.at - other.at);
}

export function Timeline({ world, zone, words, onGo }) {
  const now = world.time();
  const due = world.agenda.filter((item) => item.kind !== "heartbeat").slice(0, MOST);
  const all = [...fired(world), ...due.map((item) => ({ ...item, isPast: false }))];
  return html`
    <section class="timeline" aria-label="Timeline">
      ${TICKS.map(
        ([seconds, text, kind = ""]) => html`
          <span
            class=${`tick ${kind}`}
            key=${text}
            style=${{ insetInlineStart: `${placeOf(seconds)}%` }}
            aria-hidden="true"
          >
            ${text}
          </span>
        `,
      )}
      <span class="tick present" style=${{ insetInlineStart: `${NOW}%` }} aria-hidden="true">now</span>
      ${marks(all, now).map((mark) => {
        const [first] = mark.items;
        const what = `${words(mark.items)}, ${moment(first.at, zone)}`;
        const style = { insetInlineStart: `${mark.place}%` };
        return mark.isPast
          ? html`
              <span class="mark past" style=${style} role="img" aria-label=${`Fell due: ${what}`} title=${what}></span>
            `
          : html`
              <button
                class="mark"
                style=${style}
                title=${`${what}, in ${span(first.at - now)}`}
                aria-label=${`${what}, in ${span(first.at - now)}: jump`}
                onClick=${() => onGo(first.at)}
                data-count=${mark.items.length > 1 ? mark.items.length.toLocaleString("en") : ""}
              ></button>
            `;
      })}
      ${
        all.length === 0 &&
        html`
          <span class="unseen">Nothing is due</span>
        `
      }
      ${
        world.agenda.length > MOST &&
        html`
          <span class="unseen">${plural(world.agenda.length - MOST, "later thing")} not shown</span>
        `
      }
    </section>
  `;
}
