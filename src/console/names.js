// Names in a story for the ids, channels, people and files of a world.
import { handle } from "./lib.js";
import { escaped } from "./steps.js";
import { nowPlaceholder } from "./storytime.js";
import { describeStep } from "./telling.js";

/** The longest text that is expected in full, in characters. */
const CONTENT_MAX = 1000;
/** Texts that say where the server is or how a message is numbered, which another run has otherwise. */
const PASSING = /https?:\/\/|\/near\/|@_?\*\*[^*]*\|\d/;

/** Where the server keeps files; addresses in replies have the world's prefix before it. */
const FILES = "/user_uploads/";

/** Names of what a story speaks of: kept ids, messages by their beginning, channels, people, files by their paths. */
export class Names {
  kept = new Map();
  #sent = 0;
  #uploaded = 0;
  #files = new Map();
  /** `before` are the messages, and `channels` the names of channels by their ids, as the story begins with them. */
  constructor(world, before, channels) {
    Object.assign(this, { world, before, channels });
  }

  /** Gives the id of a message of the story a name, where a reply or an event is expected to have it. */
  newMessage(id) {
    this.#sent += 1;
    this.kept.set(id, `message${this.#sent}`);
    return `{{message${this.#sent} := int}}`;
  }

  /** Drops the names of messages that are gone, whose ids are used again. */
  keep(there) {
    for (const id of this.kept.keys()) if (!there.has(id)) this.kept.delete(id);
  }

  message(id) {
    if (this.kept.has(id)) return `{{${this.kept.get(id)}}}`;
    const own = this.before.find((message) => message.message_id === id);
    const line =
      own?.content
        .split("\n")[0]
        .replace(/[{}].*$/, "")
        .slice(0, 60)
        .trimEnd() ?? "";
    const first = line && this.before.find((message) => message.content.startsWith(line));
    return first?.message_id === id ? `{{message ${line}}}` : String(id);
  }

  channel(id) {
    const name = this.channels.get(id);
    return name && !/[{}]/.test(name) ? `{{channel ${name}}}` : String(id);
  }

  user(id) {
    const user = this.world.byId.get(id);
    return user ? `{{${handle(user.email)}.user_id}}` : String(id);
  }

  path(path) {
    return path
      .replace(/^\/messages\/(\d+)/, (_, id) => `/messages/${this.message(Number(id))}`)
      .replace(/^\/(users|bots)\/(\d+)/, (_, kind, id) => `/${kind}/${this.user(Number(id))}`);
  }

  /** Names a file whose address is in the reply to its upload. */
  file(address) {
    this.#uploaded += 1;
    const name = `file${this.#uploaded}`;
    this.#files.set(address.slice(address.indexOf(FILES)), name);
    return name;
  }

  /** A text with names for paths of files, and for the prefix before them. */
  #withFiles(text) {
    let said = text.replaceAll(`/w/${encodeURIComponent(this.world.name)}${FILES}`, `{{prefix}}${FILES}`);
    for (const [path, name] of this.#files) said = said.replaceAll(path, `{{${name}}}`);
    return said;
  }

  text(text) {
    return this.#withFiles(escaped(text));
  }

  /** A line of prose about a step, which quotes files by their names. */
  prose(step) {
    const { content } = step.params ?? {};
    if (content === undefined) return describeStep(step, this.world);
    const brief = this.#withFiles(content).replaceAll(/\{\{prefix\}\}(?=\{\{file)/g, "");
    const said = describeStep({ ...step, params: { ...step.params, content: brief } }, this.world);
    return said.replaceAll(/\\(\{\{file\d+\}\})/g, "$1");
  }

  /** A text as an event has it, as a member of an object; none where another run may have another text. */
  content(text) {
    if (text === undefined || text.length > CONTENT_MAX) return {};
    const said = this.#withFiles(text.replaceAll("{{", "\\{{"));
    return PASSING.test(said) ? {} : { content: said };
  }

  /** The message of a refusal as a member of an object, with names for the ids of the request; none as in `content`. */
  refusal({ msg, path }) {
    if (msg === undefined || PASSING.test(msg)) return {};
    const [, kind, id] = path.match(/^\/(messages|users|bots)\/(\d+)/) ?? [];
    const name = id && (kind === "messages" ? this.message(Number(id)) : this.user(Number(id)));
    const said = msg.replaceAll("{{", "\\{{").replaceAll(/\d+/g, (number) => (number === id ? name : number));
    return { msg: said };
  }

  parameter(name, given, now) {
    if (name === "message_id") return this.message(Number(given));
    if (name === "scheduled_delivery_timestamp") return nowPlaceholder(Number(given) - Math.floor(now));
    if (name === "stream_id" || (name === "to" && typeof given === "number")) return this.channel(Number(given));
    if (name === "messages" && Array.isArray(given)) return `[${given.map((id) => this.message(id)).join(", ")}]`;
    if ((name === "to" || name === "principals") && Array.isArray(given))
      return `[${given.map((id) => this.user(id)).join(", ")}]`;
    return typeof given === "string" ? this.text(given) : escaped(JSON.stringify(given));
  }
}
