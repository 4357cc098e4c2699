// Why a request was refused: the rule, who could have, and the choice that is written down of it.
import { html, useEffect, useState } from "../lib.js";
import { Icon } from "./icons.js";
import { nearest } from "./nearest.js";

/** So many rows are shown with a refusal. */
const CHOICES_SHOWN = 3;
const RULES = {
  UNAUTHORIZED: "The request must say who sends it.",
  INVALID_API_KEY: "Address and key must belong to the same account.",
  USER_DEACTIVATED: "The account is deactivated; its requests and polls are refused.",
  BAD_EVENT_QUEUE_ID: "The queue is gone: a client registers again.",
  NONEXISTENT_SUBDOMAIN: "No world has this name.",
};
let book = null;
/** The rows of docs/assumptions.md by number. */
function rows() {
  book ??= fetch("/console/files/assumptions.md")
    .then((response) => response.text())
    .then((text) => {
      const found = text.matchAll(/^\| (A-\d+) \| (?:<a id="[^"]*"><\/a>)?(.*) \|$/gm);
      return new Map([...found].map(([, number, said]) => [number, said]));
    });
  return book;
}

/** How much a row says about a refusal: the fragments of code that it quotes are looked for in the request and its reply. */
function relevance(number, said, { method, path, params, reply, hint }) {
  const message = reply?.msg ?? "";
  let sum = hint?.includes(`(${number})`) ? 10 : 0;
  for (const [, quoted] of said.matchAll(/`([^`]+)`/g)) {
    const [verb, route] = quoted.split(" ");
    if (quoted === reply?.code && quoted !== "BAD_REQUEST") sum += 3;
    else if (quoted.includes(" ") && quoted.length > 8 && message.includes(quoted)) sum += 3;
    else if (verb === method && route?.startsWith("/") && isRoute(route, path)) sum += 2;
    else if (quoted in params && message.includes(quoted)) sum += 2;
  }
  return sum;
}

const isRoute = (route, path) => {
  const parts = route.split("/");
  const given = path.split("/");
  return parts.length === given.length && parts.every((part, at) => part.startsWith("{") || part === given[at]);
};

/** Those rows of docs/assumptions.md that say most about a refusal, as `[number, text]`. */
async function choicesAbout(entry) {
  const rated = [...(await rows())].map(([number, said]) => ({ number, said, sum: relevance(number, said, entry) }));
  return rated
    .filter(({ sum }) => sum > 1)
    .sort((one, other) => other.sum - one.sum)
    .slice(0, CHOICES_SHOWN);
}

/** The channel, user or address that is most like a name that the message quotes. */
function meant(entry, world) {
  const quoted = [...(entry.reply?.msg ?? "").matchAll(/['"]([^'"]+)['"]/g)].map(([, name]) => name);
  const channels = world.channels.map((channel) => channel.name);
  const people = world.users.flatMap((user) => [user.email, user.full_name]);
  return quoted.map((name) => nearest(name, [...channels, ...people])).find(Boolean);
}

/** The request that one repeats at which a fault fired again: a rule that fires once drops repetitions, which are not carried out. */
function repeated(entry, world) {
  const rule = world.faults.find((fault) => fault.fault_id === entry.fault);
  if (entry.status !== 0 || rule?.times !== 1 || !rule.effect.retries) return null;
  const earlier = ({ kind, frame }) => kind === "request" && frame.fault === entry.fault && frame.id < entry.id;
  return world.entries.find(earlier)?.frame;
}

export function Why({ entry, world }) {
  const refused = entry.status >= 400 || entry.status === 0;
  const [choices, setChoices] = useState([]);
  useEffect(() => {
    let isCurrent = true;
    setChoices([]);
    if (refused && !entry.fault)
      choicesAbout(entry).then(
        (found) => isCurrent && setChoices(found),
        () => {},
      );
    return () => {
      isCurrent = false;
    };
  }, [entry]);
  if (!refused) return null;
  const reply = entry.reply ?? {};
  const near = entry.hint || entry.fault ? null : meant(entry, world);
  const first = entry.fault ? repeated(entry, world) : null;
  const again = first
    ? ` The request repeats request ${first.id}, as browsers do by themselves when a connection closes; it was not carried out.`
    : "";
  const rule = entry.fault
    ? `Fault ${entry.fault} made this reply.${again}`
    : (RULES[reply.code] ?? "A rule of the API refused it; nothing was changed.");
  return html`
    <section class="why" aria-label="Why">
      <h3>
        <${Icon} name="faults" size="13" />
        ${" "}Why
      </h3>
      <p>
        <b>
          ${entry.status === 0 ? "The connection was closed without a reply." : (reply.msg ?? `Status ${entry.status}`)}
        </b>
        ${" "}
        ${
          reply.code
            ? html`
                <code>${reply.code}</code>
              `
            : ""
        }
      </p>
      <p class="small">${rule}</p>
      ${
        entry.hint &&
        html`
          <p class="small">${entry.hint}</p>
        `
      }
      ${
        near &&
        html`
          <p class="small">
            Did you mean${" "}
            <b>${near}</b>
            ?
          </p>
        `
      }
      ${choices.map(
        ({ number, said }) => html`
          <details class="small" key=${number}>
            <summary>${number} in docs/assumptions.md</summary>
            <p>
              ${said}${" "}
              <a href="/console/files/assumptions.md" target="_blank">All decisions</a>
            </p>
          </details>
        `,
      )}
    </section>
  `;
}
