// Where people talk: a topic of a channel, or some people.

export const isDirect = (message) => message.type === "private" || message.type === "direct";

/** A place to talk in: a topic of a channel, or some people. */
export const placeOf = (message) =>
  isDirect(message)
    ? `d ${[...new Set(message.display_recipient.map((one) => one.id))].sort((a, b) => a - b)}`
    : `c ${message.stream_id} ${message.subject}`;
