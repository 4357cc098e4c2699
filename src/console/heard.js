// What a person's client received, by the replies to its polls.
import { CLIENT } from "./control.js";

/** What tells an event from others, at each level and for each form of it. */
function keyOf({ type, op, message, message_id: id, message_ids: ids, user_ids: users = [], ...rest }) {
  const messages = [message?.id ?? id ?? ids ?? []].flat().sort();
  const channels = [
    ...(rest.stream_ids ?? []),
    ...(rest.subscriptions ?? rest.streams ?? []).map((one) => one.stream_id),
  ];
  return JSON.stringify([type, op, messages, [...users].sort(), [...new Set(channels)].sort()]);
}

/**
 * What the polls of a person's client brought since the recording began, oldest first: events, or the loss of its queue.
 * A loss by one of the `rules` has its id. What was lost on the way brought nothing, whatever the journal has of it.
 */
export function pollsOf(email, world, since, rules) {
  const isPoll = ({ kind, serial, frame }) =>
    kind === "request" &&
    serial >= since &&
    frame.user === email &&
    frame.path === "/events" &&
    frame.method === "GET" &&
    frame.client === CLIENT;
  return world.seen.filter(isPoll).flatMap(({ serial, frame }) => {
    if (frame.status === 200) return [{ serial, isLoss: false, heard: frame.reply?.events?.map(keyOf) ?? null }];
    if (frame.status === 0 || frame.reply?.code !== "BAD_EVENT_QUEUE_ID") return [];
    return [{ serial, isLoss: true, rule: rules.get(frame.fault)?.effect.lose_queue ? frame.fault : null }];
  });
}

/** When the clients of a person registered: the numbers of the requests, oldest first. */
function registersOf(email, world) {
  const isRegister = ({ kind, frame }) =>
    kind === "request" &&
    frame.user === email &&
    frame.path === "/register" &&
    frame.status === 200 &&
    frame.client === CLIENT;
  return world.seen.filter(isRegister).map(({ serial }) => serial);
}

/**
 * From when until when a person had a client in a pane, as numbers of what happened, oldest first: from the registration on,
 * and before the one who follows them in the pane. `seats` say who acted in which pane.
 */
export function presenceOf(email, seats, world) {
  const registers = registersOf(email, world);
  const times = seats.flatMap((seat, index) => {
    if (seat.email !== email) return [];
    const next = seats.slice(index + 1).find(({ side }) => side === seat.side);
    const from = seat.serial === null ? -Infinity : (registers.find((serial) => serial >= seat.serial) ?? Infinity);
    // The next thing that happens is after the change.
    const to = next ? next.serial - 0.5 : Infinity;
    return from < to ? [{ from, to }] : [];
  });
  const apart = [];
  for (const { from, to } of times.sort((one, other) => one.from - other.from)) {
    const last = apart.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else apart.push({ from, to });
  }
  return apart;
}

/**
 * Whether the server left an event out for a client: later ones came, and this one did not. Older levels lack some events
 * of newer ones, and send some to fewer people. Of what came about when the queue was lost, this is not known.
 */
export function isUnheard(polls, event, serial) {
  const next = polls.findIndex((poll) => poll.serial > serial && !poll.isLoss);
  if (next < 0) return false;
  const before = polls.findLastIndex((poll) => poll.serial <= serial && !poll.isLoss);
  if (polls.slice(before + 1, next).some(({ isLoss }) => isLoss)) return false;
  const key = keyOf(event);
  return polls.every(({ isLoss, heard }) => isLoss || (heard && !heard.includes(key)));
}

/** Whether the last poll before something happened brought an event of it: a poll may be answered before the request is. */
export function isHeardBefore(polls, event, serial) {
  return Boolean(polls.findLast((poll) => poll.serial < serial)?.heard?.includes(keyOf(event)));
}
