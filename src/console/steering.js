// Control in a recorded story: what was armed, taken and restored, as blocks that play again.
import { handle } from "./lib.js";
import { block, value } from "./steps.js";
import { PROFILES } from "./part/presets.js";

/** What a network has without a profile. */
const NO_PROFILE = { latency_ms: 0, jitter_ms: 0, loss: 0 };

/** A network as a call sets it, without what it has by itself. What it loses by chance is lost by a rule where it was. */
function network(body) {
  const usual = PROFILES[body.profile] ?? NO_PROFILE;
  const isOwn = ([name, given]) =>
    given !== null && (["user", "profile"].includes(name) || (body.profile !== "offline" && given !== usual[name]));
  return Object.fromEntries(Object.entries({ ...body, loss: 0 }).filter(isOwn));
}

/** What a story itself asks of the server for its watchers, besides what was recorded. */
const OWN_REQUESTS = [
  ["GET", "/events"],
  ["POST", "/register"],
];

const isFor = (user, emails) => !user || emails.some((email) => user === email || user === handle(email));

/** Whether a rule could meet what the story itself asks, and not only the recorded requests. */
function meetsStory({ user, method, path } = {}, watchers) {
  const isOwn = ([verb, route]) => (!method || method === verb) && (!path || path === route);
  return isFor(user, watchers) && OWN_REQUESTS.some(isOwn);
}

const call = (method, path, body) =>
  block("control", [`${method} ${path}${body === undefined ? "" : ` ${value(JSON.stringify(body))}`}`]);

/** An effect without what is for browsers alone, which repeat a dropped request by themselves. */
function played(effect) {
  const { retries, ...rest } = effect;
  return rest;
}

/** The rules that are in force, as they would be sent to arm what is left of them. */
export function remaining(faults) {
  return faults
    .filter((fault) => !(fault.times && fault.fired >= fault.times))
    .map(({ fault_id: id, passed, fired, ...rule }) => [
      id,
      {
        ...rule,
        ...(rule.times ? { times: rule.times - fired } : {}),
        ...(rule.after ? { after: Math.max(0, rule.after - passed) } : {}),
      },
    ]);
}

/** Writes the calls of control of one story. `rules` are all rules by the id that they had when they were recorded. */
export class Steering {
  #ids = new Map();
  /** How often rules of the story met a request of it, by the ids that they had. */
  #met = new Map();
  #armed = 0;

  /** `watchers` have queues in the story. */
  constructor(world, watchers, rules) {
    Object.assign(this, { world, watchers, rules });
  }

  #install(rule) {
    this.#armed += 1;
    return call("POST", "/faults", { ...rule, effect: played(rule.effect) });
  }

  /** The rule by which the next poll of a person finds out that the queue is lost, unless `id` is armed in the story. */
  losing(email, id) {
    if (id && this.#ids.has(id)) return [];
    const match = { user: handle(email), method: "GET", path: "/events" };
    return [this.#install({ match, times: 1, effect: this.rules.get(id)?.effect ?? { lose_queue: true } })];
  }

  /** A rule as it was armed; one by chance, or one that the story's own requests would meet, is armed where it fired. */
  #arm(id, rule) {
    if ((rule.probability ?? 1) >= 1 && !meetsStory(rule.match, this.watchers)) {
      this.#ids.set(id, `fault-${this.#armed + 1}`);
      return [this.#install(rule)];
    }
    const said = `Here ${id} was armed: ${JSON.stringify(rule.effect)} for ${rule.match?.user ? handle(rule.match.user) : "anybody"}. Each request of the story that it met has a rule of its own.`;
    return [`${value(said)}\n`];
  }

  /** A call of control that was made in between. */
  blocks({ method, path, body, id }) {
    const [place] = path.slice(1).split(/[/?]/);
    if (place === "faults" && method === "POST") return this.#arm(id, body);
    const one = path.match(/^\/faults\/(.+)$/)?.[1];
    if (one) return this.#ids.has(one) ? [call(method, `/faults/${this.#ids.get(one)}`)] : [];
    if (place === "network" && body) return [call(method, path, network(body))];
    if (place === "rate_limit" && body && isFor(body.user, this.watchers))
      return [
        `Here the rate limit was ${body.requests} requests in ${body.seconds} s. Each request of the story that was beyond it has a rule of its own.\n`,
      ];
    return [call(method, path, body)];
  }

  /** The rule that gives a request the reply that it got, unless one of those that were armed does. */
  meeting(step, entry) {
    const id = entry?.frame.fault;
    if (id && this.#ids.has(id)) {
      const met = (this.#met.get(id) ?? 0) + 1;
      this.#met.set(id, met);
      const { times, effect } = this.rules.get(id);
      // Beyond its number of times, a rule drops what it takes for a repetition by the browser, which is not carried out.
      if (!times || met <= times || !effect.retries) return [];
      return [this.#install({ match: { user: handle(step.user) }, times: 1, effect: { drop: "before" } })];
    }
    const effect = this.rules.get(id)?.effect ?? this.world.faults.find((fault) => fault.fault_id === id)?.effect;
    const drop = step.status === 0 && { drop: entry?.events.length ? "after" : "before" };
    const limit = step.code === "RATE_LIMIT_HIT" && !id && { rate_limit: { retry_after: step.retryAfter ?? 1 } };
    const rule = effect ?? (drop || limit);
    return rule ? [this.#install({ match: { user: handle(step.user) }, times: 1, effect: rule })] : [];
  }
}
