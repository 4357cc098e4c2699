// Steps in words: the prose of a scenario, and what of a recording it does not have.
import { handle, span } from "./lib.js";
import { topicName } from "./part/words.js";
import { value } from "./steps.js";

/** How much of a message is quoted, in characters. */
const QUOTED = 60;

const quoted = (text) => {
  const [line] = String(text ?? "")
    .trim()
    .split("\n");
  return `“${line.length > QUOTED ? `${line.slice(0, QUOTED)} …` : line}”`;
};

const outcome = ({ status, code }) =>
  status === 200
    ? "."
    : status
      ? `, and is refused: ${[status, code].filter(Boolean).join(" ")}.`
      : ", and gets no reply.";

const named = (world, id) => handle(world.byId.get(Number(id))?.email) || `user ${id}`;
const list = (world, ids) => (Array.isArray(ids) ? ids.map((id) => named(world, id)).join(", ") : ids);

function subscribing({ method, params }, world) {
  const channels = (params.subscriptions ?? []).map((one) => `#${one.name ?? one}`).join(", ");
  const people = list(world, params.principals ?? []);
  return method === "DELETE" ? `unsubscribes ${people} from ${channels}` : `subscribes ${people} to ${channels}`;
}

/** Where a message goes; channels are given by their name or by their number. */
function destination({ type, to, topic }, world) {
  if (["direct", "private"].includes(type)) return `to ${list(world, to)}`;
  return `in #${world.channelsById.get(to)?.name ?? to} > ${topicName(topic, world)}`;
}

/** What a request does, by its method and path. */
const DEEDS = [
  [/^POST \/messages$/, ({ params }, world) => `writes ${quoted(params.content)} ${destination(params, world)}`],
  [
    /^POST \/scheduled_messages$/,
    ({ params }, world) => `schedules ${quoted(params.content)} ${destination(params, world)}`,
  ],
  [
    /^PATCH \/messages\/\d+$/,
    ({ params }, world) =>
      params.content === undefined
        ? `moves a message to the topic ${quoted(topicName(params.topic, world))}`
        : `edits a message: ${quoted(params.content)}`,
  ],
  [/^DELETE \/messages\/\d+$/, () => "deletes a message"],
  [/^POST \/messages\/\d+\/reactions$/, ({ params }) => `reacts with ${params.emoji_name}`],
  [/^DELETE \/messages\/\d+\/reactions$/, ({ params }) => `takes the reaction ${params.emoji_name} back`],
  [/^POST \/messages\/flags$/, ({ params }) => `marks messages as ${params.op === "add" ? "" : "not "}${params.flag}`],
  [/^POST \/reminders$/, () => "asks to be reminded"],
  [/^POST \/user_uploads$/, ({ file }) => `uploads ${file?.name ?? "a file"}`],
  [/^\S+ \/users\/me\/subscriptions$/, subscribing],
  [/^DELETE \/(?:users|bots)\/(\d+)$/, (_, world, id) => `deactivates ${named(world, id)}`],
  [/^POST \/users\/(\d+)\/reactivate$/, (_, world, id) => `reactivates ${named(world, id)}`],
  [/^PATCH \/users\/(\d+)$/, (_, world, id) => `changes ${named(world, id)}`],
];

/** A request in words. */
export function deed(step, world) {
  const asked = `${step.method} ${step.path}`;
  for (const [pattern, words] of DEEDS) {
    const found = asked.match(pattern);
    if (found) return words(step, world, ...found.slice(1));
  }
  return `asks for ${asked}`;
}

const userName = (user) => (user ? handle(user) : "everybody");

const CALLS = [
  [/^POST \/faults$/, ({ body }) => `A fault is armed for ${userName(body.match?.user)}.`],
  [/^DELETE \/faults/, ({ path }) => (path === "/faults" ? "All faults are removed." : "A fault is removed.")],
  [
    /^POST \/network/,
    ({ body }) => `The network of ${userName(body.user)} is ${body.profile ?? "another one"} from here on.`,
  ],
  [/^DELETE \/network\?user=(.+)$/, (_, user) => `The network of ${handle(decodeURIComponent(user))} ends.`],
  [/^DELETE \/network$/, () => "The network is as usual again."],
  [/^POST \/rate_limit/, ({ body }) => `A rate limit is set for ${userName(body.user)}.`],
  [/^DELETE \/rate_limit/, () => "The rate limit ends."],
  [/^POST \/snapshots$/, ({ body }) => `The snapshot ${body.name} is taken.`],
  [
    /^POST \/snapshots\/(.+)\/restore$/,
    (_, name) => `The world goes back to the snapshot ${decodeURIComponent(name)}.`,
  ],
  [/^DELETE \/queues/, ({ queue }) => `The server loses the event queue of ${userName(queue?.user)}.`],
];

/** One line about a step. */
export function describeStep(step, world) {
  if (step.kind === "request") return value(`${handle(step.user)} ${deed(step, world)}${outcome(step)}`);
  if (step.isStop) return "The clock, which ran until here, is stopped.";
  if (step.kind === "jump") return `The clock jumps by ${span(step.seconds)}.`;
  const asked = `${step.method} ${step.path}`;
  for (const [pattern, words] of CALLS) {
    const found = asked.match(pattern);
    if (found) return value(words(step, ...found.slice(1)));
  }
  return value(`Control is called: ${asked}.`);
}
