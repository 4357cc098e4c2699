// Where people talk: a topic of a channel, or some people; and what requests call it, at each feature level.

/** From these levels on, the types of messages have these names. */
const DIRECT_LEVEL = 174;
const CHANNEL_LEVEL = 248;
/** From these levels on, others learn of typing in a channel, and the channel has a parameter of its own. */
const TYPING_LEVEL = 58;
const TYPING_CHANNEL_LEVEL = 215;
/** From this level on, clients may say whether a message counts as read by its sender. */
const READ_BY_SENDER_LEVEL = 236;
/** From this level on, messages may be scheduled. */
const SCHEDULED_LEVEL = 179;
/** From this level on, users may ask to be reminded. */
const REMINDERS_LEVEL = 381;

export const isDirect = (message) => message.type === "private" || message.type === "direct";

/** A place to talk in: a topic of a channel, or some people. */
export const placeOf = (message) =>
  isDirect(message)
    ? `d ${[...new Set(message.display_recipient.map((one) => one.id))].sort((a, b) => a - b)}`
    : `c ${message.stream_id} ${message.subject}`;

const typeOf = ({ people }, level) =>
  people ? (level < DIRECT_LEVEL ? "private" : "direct") : level < CHANNEL_LEVEL ? "stream" : "channel";

/** What one writes oneself is read; the name of this client is none of those for which that is so without asking. */
const readParams = (level) => (level < READ_BY_SENDER_LEVEL ? {} : { read_by_sender: true });

/** The parameters of a message to be sent there; `name` is that of the channel. */
export function sendParams(there, name, content, level) {
  const type = typeOf(there, level);
  const to = there.people ? { to: there.people } : { to: name ?? there.channel, topic: there.topic };
  return { type, ...to, content, ...readParams(level) };
}

/** The parameters of a message that is sent there later, at an instant in UNIX seconds. */
export function laterParams(there, content, at, level) {
  const to = there.people ? { to: there.people } : { to: there.channel, topic: there.topic };
  return { type: typeOf(there, level), ...to, content, scheduled_delivery_timestamp: at, ...readParams(level) };
}

/** The parameters that say that somebody types there; null where the level has no such thing. */
export function typingParams(there, op, level) {
  if (there.people) return { op, type: typeOf(there, level), to: there.people };
  if (level < TYPING_LEVEL) return null;
  const channel = level < TYPING_CHANNEL_LEVEL ? { to: [there.channel] } : { stream_id: there.channel };
  return { op, type: typeOf(there, level), ...channel, topic: there.topic };
}

export const hasScheduledMessages = (level) => level >= SCHEDULED_LEVEL;
export const hasReminders = (level) => level >= REMINDERS_LEVEL;
