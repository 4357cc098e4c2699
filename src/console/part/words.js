// Requests, events and other frames in words: names for numbers, the text of messages.
import { networkWords, rateLimitWords, who } from "./presets.js";

const user = (id, world) => world.byId.get(id)?.full_name ?? `user ${id}`;
const channel = (id, world) => world.channelsById.get(id)?.name ?? `channel ${id}`;
const ENTITIES = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&", nbsp: " " };
/** The text of HTML or of Markdown, for a line. */
const plain = (content) =>
  content.replace(/<[^>]+>/g, "").replace(/&(lt|gt|quot|#39|amp|nbsp);/g, (_, name) => ENTITIES[name]);
/** From this feature level on, the empty topic has a name that people see; before, messages without one had that of a topic. */
const EMPTY_TOPIC_LEVEL = 334;
/** A topic as clients of the world's level show it. */
export const topicName = (topic, world) =>
  topic || ((world.level ?? Infinity) < EMPTY_TOPIC_LEVEL ? "(no topic)" : "general chat");

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

function recipients(to, world) {
  const list = [parsed(to)].flat();
  return list.map((one) => (typeof one === "number" ? user(one, world) : String(one).split("@")[0])).join(", ");
}

export function requestWords(entry, world) {
  const { params } = entry;
  const refused = entry.status >= 400 && entry.reply?.msg;
  if (refused) return entry.reply.msg;
  if (entry.method === "POST" && entry.path === "/messages") {
    const place = ["direct", "private"].includes(params.type)
      ? recipients(params.to, world)
      : `#${typeof parsed(params.to) === "number" ? channel(parsed(params.to), world) : String(parsed(params.to))} › ${topicName(params.topic ?? params.subject ?? "", world)}`;
    return `${place}: ${params.content ?? ""}`;
  }
  if (entry.method === "PATCH" && entry.path.startsWith("/messages/")) {
    const place = params.stream_id ? `to #${channel(Number(params.stream_id), world)} ` : "";
    return params.topic !== undefined
      ? `moved ${place}› ${topicName(params.topic, world)}`
      : params.stream_id
        ? `moved ${place}`
        : (params.content ?? "");
  }
  if (entry.path === "/user_uploads") {
    const { filename, url, uri } = entry.reply ?? {};
    return (
      filename ??
      String(url ?? uri ?? "")
        .split("/")
        .at(-1)
    );
  }
  if (entry.path.endsWith("/reactions")) return `:${params.emoji_name ?? ""}:`;
  if (entry.path === "/events") return params.last_event_id === undefined ? "" : `after ${params.last_event_id}`;
  return Object.entries(params)
    .slice(0, 3)
    .map(([name, text]) => `${name}=${text}`)
    .join("  ");
}

const EVENTS = {
  message: (event, world) => {
    const { message } = event;
    const place =
      message.type === "stream" || message.type === "channel"
        ? `#${channel(message.stream_id, world)} › ${topicName(message.subject, world)}`
        : "direct message";
    return `${message.sender_full_name} in ${place}: ${plain(message.content)}`;
  },
  update_message: (event, world) => {
    const moved = event.new_stream_id
      ? `moved to #${channel(event.new_stream_id, world)}`
      : event.subject !== undefined
        ? `moved to ${topicName(event.subject, world)}`
        : "edited";
    return `${event.user_id ? user(event.user_id, world) : "somebody"} ${moved}${event.content ? `: ${event.content}` : ""} (message ${(event.message_ids ?? [event.message_id]).join(", ")})`;
  },
  delete_message: (event) => `message ${event.message_id ?? event.message_ids?.join(", ")} is gone`,
  reaction: (event, world) =>
    `${user(event.user_id, world)} ${event.op === "add" ? "reacted" : "took back"} :${event.emoji_name}: (message ${event.message_id})`,
  typing: (event, world) =>
    `${user(event.sender?.user_id, world)} ${event.op === "start" ? "types" : "stopped typing"}`,
  update_message_flags: (event) => `${event.op} ${event.flag} (${event.messages?.length ?? 0} messages)`,
  presence: (event, world) => `${user(event.user_id, world)} is about`,
  reminders: () => "reminders changed",
};

export function eventWords(event, world) {
  const words = EVENTS[event.type];
  if (words) {
    try {
      return words(event, world);
    } catch {
      /* An event of an older level lacks something. */
    }
  }
  const rest = Object.entries(event).filter(([name]) => !["type", "op", "id"].includes(name));
  return pairs(Object.fromEntries(rest.slice(0, 4)));
}

const pairs = (value) =>
  Object.entries(value)
    .map(([name, one]) => `${name}: ${typeof one === "object" ? JSON.stringify(one) : one}`)
    .join("  ")
    .slice(0, 300);

/** What ended, of what held before, and what holds from now on. */
function conditions(list, before, words) {
  const ended = before.filter((one) => !list.some((other) => other.user === one.user));
  return (
    [...ended.map((one) => `${who(one.user)}: ended`), ...list.map((one) => `${who(one.user)}: ${words(one)}`)].join(
      "; ",
    ) || "none for anybody"
  );
}

const FRAMES = {
  queue: ({ user }) => `The queue of ${who(user)} is lost: its next poll is refused`,
  network: ({ networks }, was) => conditions(networks, was, networkWords),
  rate_limit: ({ rate_limits: limits }, was) => conditions(limits, was, rateLimitWords),
};

const CAUSES = {
  restore: ({ snapshot }) => `Snapshot ${snapshot} restored: `,
  reset: () => "Reset to the initial state: ",
  state: () => "State replaced: ",
};

/** What a fault does to a request, in words. */
export function effectWords(effect) {
  const [[name, how]] = Object.entries(effect);
  return (
    {
      drop: how === "after" ? "loses the reply" : "loses the request",
      rate_limit: `429, retry after ${how?.retry_after} s`,
      error: `${how?.status} ${how?.code ?? ""}`,
      delay_ms: `delays by ${how} ms`,
      truncate_at: `breaks off after ${how} bytes`,
      garbage: "answers with HTML",
      gateway: `${how} with HTML`,
      change: `changes ${Object.keys(how ?? {}).join(", ")}`,
      pseudo_localize: "translates failures",
      lose_queue: "loses the queues",
      events: `events: ${how}`,
      bouncer: `push relay: ${how}`,
    }[name] ?? name
  );
}

/** Why the clock of a world moved, if it did not just go on. */
export const causeWords = ({ cause, snapshot }) =>
  CAUSES[cause ?? (snapshot === undefined ? "" : "restore")]?.({ snapshot }) ?? (cause ? `${cause}: ` : "");

/**
 * A frame of the watch socket that is neither a request nor an event; one of an unknown type by its keys. `was` is what held
 * before, of networks and rate limits.
 */
export function frameWords(frame, was = []) {
  const { type, at, ...rest } = frame;
  try {
    if (FRAMES[type]) return FRAMES[type](frame, was);
  } catch {
    /* It has other keys than this page knows. */
  }
  return pairs(rest);
}
