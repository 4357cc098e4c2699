// A small chat client as one of the world's people, over the public API alone: register, long poll, act.
import { countPoll } from "./connections.js";
import { Refused, api } from "./control.js";
import { Store } from "./store.js";

const KEPT = 400;
/** How long a poll waits before it is said to be parked. */
const PARKED_MS = 800;
/** How long clients show that somebody types, in seconds, unless they hear of it again. */
const TYPING_S = 15;
const CAPABILITIES = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  user_avatar_url_field_optional: true,
  stream_typing_notifications: true,
  user_settings_object: true,
  linkifier_url_template: true,
  user_list_incomplete: true,
  include_deactivated_groups: true,
  archived_channels: true,
  empty_topic_name: true,
  simplified_presence_events: true,
};

let sends = 0;

export class Session extends Store {
  state = "registering";
  /** How many queues it had. */
  queues = 0;
  /** The feature level of the server, by the latest register reply; the newest until there is one. */
  level = Infinity;
  dialect = null;
  messages = [];
  channels = [];
  /** What the person is to each channel that they can see: "subscribed" or "open"; null until they are known. */
  #access = null;
  /** The channels that are lost with a subscription. */
  #private = new Set();
  topics = new Map();
  events = [];
  /** Who types, with the world's time at which that was heard last. */
  typing = new Map();
  #stop = new AbortController();
  #queue = null;
  #last = -1;

  /**
   * With `isSource`, the client asks for the Markdown of messages, and otherwise for their HTML. `now` is the world's time
   * in seconds.
   */
  constructor(world, user, isSource, now) {
    super();
    Object.assign(this, { world, user, isSource, now });
    addEventListener("pagehide", this.close);
    countPoll(this.#stop.signal);
    this.#run();
  }

  /** The event queue that it polls; null while it has none. */
  get queueId() {
    return this.#queue;
  }

  /** A send has an id, as those of other clients: only a repetition by the browser has the same one. */
  call(method, path, params, options = {}) {
    const isSend = method === "POST" && path === "/messages";
    const sent = isSend ? { ...params, local_id: `${Date.now()}.${(sends += 1)}` } : params;
    return api(this.world, this.user, method, path, sent, { signal: this.#stop.signal, ...options });
  }

  /** What the person is to a channel: "subscribed", "open", or "lost" if they can't see it; undefined if that is not known. */
  accessTo(channel) {
    return this.#access && (this.#access.get(channel) ?? "lost");
  }

  /** The ids of those who type, by the world's time. */
  get typists() {
    const now = this.now();
    return [...this.typing].filter(([, since]) => now - since < TYPING_S).map(([id]) => id);
  }

  /** The Markdown of a message. */
  async source(message) {
    if (this.isSource) return message.content;
    const reply = await this.call("GET", `/messages/${message.id}`, { apply_markdown: false });
    // Levels below 120 give nothing but the Markdown.
    return reply.message?.content ?? reply.raw_content;
  }

  close = () => {
    removeEventListener("pagehide", this.close);
    this.#stop.abort();
    if (this.#queue)
      api(this.world, this.user, "DELETE", "/events", { queue_id: this.#queue }, { keepalive: true }).catch(() => {});
  };

  async #run() {
    while (!this.#stop.signal.aborted) {
      try {
        if (!this.#queue) await this.#register();
        const reply = await this.#poll();
        for (const event of reply.events) {
          this.#last = Math.max(this.#last, event.id);
          this.#take(event);
        }
        this.state = "listening";
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        const isRefused =
          error instanceof Refused && error.status >= 400 && error.status < 500 && error.code !== "RATE_LIMIT_HIT";
        if (error.code === "BAD_EVENT_QUEUE_ID" || (isRefused && !this.#queue)) this.#queue = null;
        this.state = error.code === "BAD_EVENT_QUEUE_ID" ? "queue lost, registering again" : error.message;
        this.#note({ type: "client", text: this.state });
        this.changed();
        // As clients do after a permanent refusal: wait before the next try.
        await new Promise((done) => setTimeout(done, isRefused && error.code !== "BAD_EVENT_QUEUE_ID" ? 5000 : 600));
      }
      this.changed();
    }
  }

  /** Polls; a poll that is not answered at once is parked. */
  async #poll() {
    const parked = setTimeout(() => {
      this.state = "listening";
      this.changed();
    }, PARKED_MS);
    try {
      return await this.call("GET", "/events", { queue_id: this.#queue, last_event_id: this.#last });
    } finally {
      clearTimeout(parked);
    }
  }

  async #register() {
    const state = await this.call("POST", "/register", {
      apply_markdown: !this.isSource,
      client_gravatar: false,
      fetch_event_types: ["subscription", "message"],
      client_capabilities: CAPABILITIES,
    });
    this.#queue = state.queue_id;
    this.#last = state.last_event_id;
    this.queues += 1;
    this.typing.clear();
    this.dialect = "zulip_feature_level" in state ? "zulip" : "neutral";
    this.level = state.zulip_feature_level ?? state.service_feature_level ?? 0;
    if (this.queues > 1)
      this.#note({ type: "client", text: `registered again: queue ${this.queues}, messages are read again` });
    this.channels = [...(state.subscriptions ?? []), ...(state.unsubscribed ?? []).filter((one) => !one.invite_only)]
      .filter((channel) => !channel.is_archived)
      .map(({ stream_id: id, name }) => ({
        id,
        name,
        subscribed: (state.subscriptions ?? []).some((one) => one.stream_id === id),
      }));
    const others = [...(state.unsubscribed ?? []), ...(state.never_subscribed ?? [])].filter((one) => !one.invite_only);
    this.#access = new Map([
      ...others.map((one) => [one.stream_id, "open"]),
      ...(state.subscriptions ?? []).map((one) => [one.stream_id, "subscribed"]),
    ]);
    this.#private = new Set((state.subscriptions ?? []).filter((one) => one.invite_only).map((one) => one.stream_id));
    const { messages } = await this.call("GET", "/messages", {
      anchor: "newest",
      num_before: KEPT,
      num_after: 0,
      apply_markdown: !this.isSource,
      client_gravatar: false,
      allow_empty_topic_name: true,
    });
    this.messages = messages;
    this.state = "listening";
    this.changed();
  }

  /** Keeps an event; what the client says again is kept once, with its number. */
  #note(event) {
    const last = this.events.at(-1);
    const isAgain = event.type === "client" && last?.type === "client" && last.text === event.text;
    if (isAgain) this.events = [...this.events.slice(0, -1), { ...event, count: (last.count ?? 1) + 1 }];
    else this.events = [...this.events.slice(-199), event];
  }

  #take(event) {
    if (event.type === "heartbeat") return;
    this.#note(event);
    const about = new Set(event.message_ids ?? event.messages ?? [event.message_id]);
    const each = (change) => {
      this.messages = this.messages.map((message) => (about.has(message.id) ? change(message) : message));
    };
    switch (event.type) {
      case "message":
        this.messages = [
          ...this.messages.filter((message) => message.id !== event.message.id),
          { ...event.message, flags: event.flags },
        ].slice(-KEPT * 2);
        this.typing.delete(event.message.sender_id);
        break;
      case "update_message":
        each((message) => ({
          ...message,
          ...(event.content !== undefined && message.id === event.message_id
            ? {
                content: this.isSource ? event.content : event.rendered_content,
                last_edit_timestamp: event.edit_timestamp,
              }
            : {}),
          ...((event.topic ?? event.subject) !== undefined ? { subject: event.topic ?? event.subject } : {}),
          ...(event.new_stream_id ? { stream_id: event.new_stream_id } : {}),
        }));
        break;
      case "delete_message":
        this.messages = this.messages.filter((message) => !about.has(message.id));
        break;
      case "reaction":
        each((message) => {
          const others = message.reactions.filter(
            (one) => !(one.user_id === event.user_id && one.emoji_name === event.emoji_name),
          );
          return { ...message, reactions: event.op === "add" ? [...others, event] : others };
        });
        break;
      case "update_message_flags":
        if (event.all) this.messages.forEach((message) => about.add(message.id));
        each((message) => ({
          ...message,
          flags:
            event.op === "add"
              ? [...new Set([...message.flags, event.flag])]
              : message.flags.filter((flag) => flag !== event.flag),
        }));
        break;
      case "typing": {
        const sender = event.sender?.user_id;
        if (event.op === "start") {
          this.typing.set(sender, this.now());
          // On a clock that runs, the time passes without anything that happens.
          setTimeout(() => this.changed(), TYPING_S * 1000);
        } else this.typing.delete(sender);
        break;
      }
      case "subscription":
      case "stream":
        this.#channelsChanged(event);
        break;
      default:
    }
  }

  #channelsChanged(event) {
    const found = event.subscriptions ?? event.streams ?? [];
    const ids = new Set([...found.map((one) => one.stream_id), ...(event.stream_ids ?? [])]);
    if (event.type === "subscription" && event.op === "add") {
      this.channels = [
        ...this.channels.filter((one) => !ids.has(one.id)),
        ...found.map((one) => ({ id: one.stream_id, name: one.name, subscribed: true })),
      ];
      for (const one of found) {
        this.#access.set(one.stream_id, "subscribed");
        if (one.invite_only) this.#private.add(one.stream_id);
      }
    } else if (event.type === "subscription" && event.op === "remove") {
      this.channels = this.channels.map((one) => (ids.has(one.id) ? { ...one, subscribed: false } : one));
      for (const id of ids)
        if (this.#private.has(id)) this.#access.delete(id);
        else if (this.#access.has(id)) this.#access.set(id, "open");
    } else if (event.op === "delete") {
      this.channels = this.channels.filter((one) => !ids.has(one.id));
      for (const id of ids) this.#access.delete(id);
    } else if (event.type === "stream" && event.op === "create") {
      for (const one of found)
        if (!one.invite_only && !this.#access.has(one.stream_id)) this.#access.set(one.stream_id, "open");
    }
  }
}
