// What a recording did with what its story does not have: messages, channels and people that others made meanwhile.

/** The messages that a request is about. */
const messagesOf = ({ path, params }) =>
  [path.match(/^\/messages\/(\d+)/)?.[1], params.message_id, ...(params.messages ?? [])]
    .filter((id) => id !== undefined)
    .map(Number);

/** The channels that a request is about, by their numbers or names. */
const channelsOf = ({ params: { type, to, stream_id: id, subscriptions = [] } }) => [
  ...(id === undefined ? [] : [Number(id)]),
  ...(["channel", "stream"].includes(type) ? [to].flat() : []),
  ...subscriptions.map((one) => one.name ?? one),
];

/** The people that a request is about, and who makes it. */
const peopleOf = ({ user, path, params: { type, to, principals = [] } }, world) => [
  ...[world.byEmail.get(user)?.user_id, path.match(/^\/(?:users|bots)\/(\d+)/)?.[1]].filter((id) => id !== undefined),
  ...(["direct", "private"].includes(type) ? to : []),
  ...principals,
];

/** The messages, channels and people of a story, as its steps go on. `before` are the messages with which it begins. */
class StoryContents {
  #made = new Set();
  #snapshots = new Map();

  constructor({ channels, users }, before, world) {
    Object.assign(this, { channels, users, world });
    this.names = new Set(channels.values());
    this.newest = Math.max(0, ...before.map((message) => message.message_id));
  }

  hasMessage = (id) => id <= this.newest || this.#made.has(id);

  /** Whether the channels and people are there that a request is about. */
  hasPlaces(step) {
    const isThere = (channel) => (typeof channel === "number" ? this.channels.has(channel) : this.names.has(channel));
    return channelsOf(step).every(isThere) && peopleOf(step, this.world).every((id) => this.users.has(Number(id)));
  }

  /** Takes the messages of events. */
  take(frames) {
    for (const { event } of frames) if (event.type === "message") this.#made.add(event.message.id);
  }

  /** Takes the reply to a message that was sent. */
  takeSent({ method, path, reply }) {
    if (method === "POST" && path === "/messages" && reply) this.#made.add(reply.id);
  }

  /** Follows a snapshot that is taken or restored. */
  control({ path, body }) {
    if (path === "/snapshots" && body) this.#snapshots.set(body.name, new Set(this.#made));
    const restored = path.match(/^\/snapshots\/(.+)\/restore$/)?.[1];
    if (restored) this.#made = new Set(this.#snapshots.get(decodeURIComponent(restored)) ?? this.#made);
  }
}

/**
 * The steps of a recording as its story has them: `isLeft` says that one can't be in it. `entries` are those of the steps in
 * the live view, `dueIn` the events of a jump in the story, by its index and the requests that are left out before it.
 */
export function stepsInside({ steps, state }, { before, world, entries, dueIn }) {
  const contents = new StoryContents(state, before, world);
  const left = [];
  return steps.map((step, index) => {
    if (step.kind === "control") contents.control(step);
    if (step.kind === "jump") {
      const frames = dueIn(index, left);
      contents.take(frames);
      return { ...step, frames };
    }
    if (step.kind !== "request") return step;
    const events = entries[index]?.events ?? [];
    const messages = messagesOf(step);
    const inside = messages.filter(contents.hasMessage);
    // Whatever a request is about that a fault refuses, the reply is the same.
    const isRefusedAnyway = step.status !== 200 && entries[index]?.frame.fault;
    if (!contents.hasPlaces(step) || (messages.length && !inside.length && !isRefusedAnyway)) {
      left.push(step);
      return { ...step, isLeft: true };
    }
    contents.take(events);
    contents.takeSent(step);
    const isPart = inside.length && inside.length < messages.length;
    return isPart ? { ...step, params: { ...step.params, messages: inside } } : step;
  });
}
