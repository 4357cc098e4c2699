// How the world of a recording differs, when that begins, from the built-in organization in which its story is played.
import { handle, plural } from "./lib.js";
import { isSilent } from "./others.js";

/** How many kinds of requests are named. */
const NAMED = 3;

/** The messages that are scheduled in the built-in organization. */
const DUE = new Set(["Good morning, everyone!", "Lunch?"]);

/** What was received since the world last went back to another state, or began with another journal. */
function sinceReturn(entries) {
  let from = 0;
  let newest = 0;
  entries.forEach(({ kind, frame }, index) => {
    const isReturn = kind === "clock" && (frame.cause !== undefined || frame.snapshot !== undefined);
    if (isReturn || (kind === "request" && frame.id < newest)) from = index;
    if (kind === "request") newest = frame.id;
    else if (isReturn) newest = 0;
  });
  return entries.slice(from);
}

/** What was changed before the recording by requests, as words with their numbers. */
function changes({ state }, world) {
  const isChange = ({ kind, serial, frame }) =>
    kind === "request" &&
    serial < state.serial &&
    frame.status === 200 &&
    !isSilent(frame) &&
    // No step of a story needs that something was read.
    frame.path !== "/messages/flags";
  const counts = new Map();
  for (const { frame } of sinceReturn(world.seen).filter(isChange)) {
    const path = frame.path.replace(/\/\d+(?=\/|$)/g, "/…");
    const words = `${frame.method} ${path} of ${handle(frame.user) || "nobody"}`;
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return [...counts].map(([words, count]) => (count > 1 ? `${words} ×${count}` : words));
}

/**
 * Why a story needs the state that its world had when the recording began, in words; none where the built-in organization is
 * like it. What falls due by itself comes in the story as well.
 */
export function needsOf(recording, world) {
  const { state } = recording;
  if (!state) return [];
  if (state.start === null) return ["its organization is not the built-in one"];
  const found = changes(recording, world);
  if (found.length) return [...found.slice(0, NAMED), ...(found.length > NAMED ? ["…"] : [])];
  // A fork has the messages of another world, and no journal.
  const bots = new Set(world.users.filter((user) => user.is_bot).map((user) => user.user_id));
  const isWritten = ({ at, sender_id: sender, content }) => at >= state.start && !bots.has(sender) && !DUE.has(content);
  const written = state.messages.filter(isWritten).length;
  return written ? [`${plural(written, "message")} written in the world`] : [];
}
