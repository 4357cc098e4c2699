// What a recording did with what its story does not have: messages, channels and people that others made meanwhile.
import { nameOfDue, namesOfDue } from "./record.js";

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

/**
 * The messages, channels and people of a story, and what is due in it, as its steps go on. `before` are the messages with
 * which it begins.
 */
class StoryContents {
  #made = new Set();
  #due;
  #snapshots = new Map();

  constructor({ state: { channels, users }, due }, before, world) {
    Object.assign(this, { channels, users, world });
    this.#due = new Set(due);
    this.names = new Set(channels.values());
    this.newest = Math.max(0, ...before.map((message) => message.message_id));
  }

  hasMessage = (id) => id <= this.newest || this.#made.has(id);
  hasDue = (item) => this.#due.has(nameOfDue(item));

  /** The messages that the story has made and still has. */
  get made() {
    return new Set(this.#made);
  }

  /** Whether the channels and people are there that a request is about. */
  hasPlaces(step) {
    const isThere = (channel) => (typeof channel === "number" ? this.channels.has(channel) : this.names.has(channel));
    return channelsOf(step).every(isThere) && peopleOf(step, this.world).every((id) => this.users.has(Number(id)));
  }

  /** Takes the messages of events. */
  take(frames) {
    for (const { event } of frames) if (event.type === "message") this.#made.add(event.message.id);
  }

  /** Takes the reply to a message that was sent, or that is due later. */
  takeReply(step) {
    const { method, path, reply } = step;
    if (method === "POST" && path === "/messages" && reply) this.#made.add(reply.id);
    for (const name of namesOfDue(step)) this.#due.add(name);
  }

  /** Follows a snapshot that is taken or restored: the numbers of what came after it are used again. */
  control(step) {
    const { path, body } = step;
    if (path === "/snapshots" && body) this.#snapshots.set(body.name, { made: this.made, due: new Set(this.#due) });
    const restored = path.match(/^\/snapshots\/(.+)\/restore$/)?.[1];
    if (!restored) return step;
    const { made, due } = this.#snapshots.get(decodeURIComponent(restored)) ?? { made: this.#made, due: this.#due };
    this.#made = new Set(made);
    this.#due = new Set(due);
    return { ...step, made: this.made };
  }
}

/**
 * The steps of a recording as its story has them: `isLeft` says that one can't be in it, `made` the messages of the story that
 * a restore keeps. `entries` are those of the steps in the live view, `dueIn` the events of a jump in the story, by its index
 * and by what the story has due.
 */
export function stepsInside(recording, { before, world, entries, dueIn }) {
  const contents = new StoryContents(recording, before, world);
  return recording.steps.map((step, index) => {
    if (step.kind === "control") return contents.control(step);
    if (step.kind === "jump") {
      const frames = dueIn(index, contents.hasDue);
      contents.take(frames);
      return { ...step, frames };
    }
    if (step.kind !== "request") return step;
    const events = entries[index]?.events ?? [];
    const messages = messagesOf(step);
    const inside = messages.filter(contents.hasMessage);
    // Whatever a request is about that a fault refuses, the reply is the same.
    const isRefusedAnyway = step.status !== 200 && entries[index]?.frame.fault;
    if (!contents.hasPlaces(step) || (messages.length && !inside.length && !isRefusedAnyway))
      return { ...step, isLeft: true };
    contents.take(events);
    contents.takeReply(step);
    const isPart = inside.length && inside.length < messages.length;
    return isPart ? { ...step, params: { ...step.params, messages: inside } } : step;
  });
}
