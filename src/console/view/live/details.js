// All of one request or event.
import { copy, handle, html, moment, plural, realTime } from "../../lib.js";
import { CLIENT } from "../../control.js";
import { toasts } from "../../store.js";
import { zoneNow } from "../../bar.js";
import { go, pathOf } from "../../route.js";
import { curl, scenarioStep } from "../../steps.js";
import { Json, Name } from "../../part/common.js";
import { Fidelity } from "../../part/fidelity.js";
import { Icon } from "../../part/icons.js";
import { Why } from "../../part/why.js";
import { effectWords, eventWords } from "../../part/words.js";

/** Whether a request of this page was dropped, and its repetition by the browser would not be. */
const isRepeated = ({ client }, effect) => client === CLIENT && Boolean(effect?.drop) && !effect.retries;

export function Details({ row, world, onClose }) {
  const { entry } = row;
  const frame = row.frame ?? entry.frame;
  const zone = zoneNow();
  const isRequest = entry.kind === "request" && !row.frame;
  const event = row.frame ?? (entry.kind === "event" ? entry.frame : null);
  const user = world.who(frame.user);
  const effect = world.effects.get(frame.fault);
  const arm = () => {
    const at = frame.path.replace(/\/\d+(?=\/|$)/g, "/{message_id}");
    world.faultDraft = { match: { method: frame.method, path: at, ...(user ? { user: handle(user.email) } : {}) } };
    go(pathOf(world.name, "faults"));
  };
  return html`
    <aside class="details" aria-label="Details">
      <header class="row">
        <h2 class="grow cut">
          ${
            isRequest
              ? html`
                  <span class="mono">${frame.method} ${frame.path}</span>
                `
              : event
                ? `Event ${event.event.type}`
                : (frame.type ?? entry.kind)
          }
        </h2>
        <button class="button plain square" aria-label="Close details" onClick=${onClose}>
          <${Icon} name="close" />
        </button>
      </header>
      ${
        isRequest &&
        html`
          <div class="rows">
            <button class="button little" onClick=${() => copy(curl(world.name, frame, user), toasts.show, "curl")}>
              <${Icon} name="copy" size="13" />
              Copy as curl
            </button>
            <button class="button little" onClick=${() => copy(scenarioStep(frame), toasts.show, "Scenario step")}>
              <${Icon} name="copy" size="13" />
              Copy as scenario step
            </button>
            <button class="button little" onClick=${arm}>
              <${Icon} name="faults" size="13" />
              Arm a fault like this
            </button>
          </div>
          <dl class="pairs">
            <dt>Who</dt>
            <dd>
              ${
                user
                  ? html`
                      <${Name}>${user.full_name}<//>
                      ${" "}
                      <span class="soft">${user.email}</span>
                    `
                  : (frame.user ?? "anonymous")
              }
            </dd>
            <dt>Client</dt>
            <dd>${frame.client}</dd>
            <dt>World time</dt>
            <dd class="number">${moment(frame.at, zone)}</dd>
            ${
              entry.real &&
              html`
                <dt>Real time</dt>
                <dd class="number">
                  ${realTime(entry.real)}
                  <span class="soft">, when this page received it</span>
                </dd>
              `
            }
            <dt>Answered</dt>
            <dd>${frame.status || "no reply"} in ${frame.duration_ms.toFixed(2)} ms</dd>
            <${Fidelity} method=${frame.method} path=${frame.path} />
            ${
              frame.fault &&
              html`
                <dt>Fault</dt>
                <dd>
                  <a href=${pathOf(world.name, "faults")}>${frame.fault}</a>
                  ${effect ? `: ${effectWords(effect)}` : ""}${isRepeated(frame, effect) ? "; a browser repeats such a request by itself" : ""}
                </dd>
              `
            }
          </dl>
          <${Why} entry=${frame} world=${world} />
          <h3>Parameters</h3>
          ${
            Object.keys(frame.params).length
              ? html`
                  <dl class="pairs boxed">
                    ${Object.entries(frame.params).map(
                      ([name, text]) => html`
                        <dt class="mono">${name}</dt>
                        <dd class="wrap"><bdi>${text}</bdi></dd>
                      `,
                    )}
                  </dl>
                `
              : html`
                  <p class="soft small">None.</p>
                `
          }
          <h3>Reply${frame.truncated ? " (cut at 4 KiB)" : ""}</h3>
          <${Json} value=${frame.reply} />
          ${
            entry.events.length > 0 &&
            html`
              <h3>${plural(entry.events.length, "event")}</h3>
              <ul class="stack">
                ${entry.events.map(
                  (one) => html`
                    <li class="small">
                      <span class="tag accent">${one.event.type}</span>
                      ${" "}
                      <${Received} frame=${one} world=${world} />
                    </li>
                  `,
                )}
              </ul>
            `
          }
          ${
            entry.events.length === 0 &&
            frame.events.length > 0 &&
            html`
              <p class="soft small">It caused ${plural(frame.events.length, "event")}, before this page watched.</p>
            `
          }
        `
      }
      ${
        event &&
        html`
          <p class="small"><bdi>${eventWords(event.event, world)}</bdi></p>
          <h3>Who received it</h3>
          <p class="small"><${Received} frame=${event} world=${world} /></p>
          <h3>Event</h3>
          <${Json} value=${event.event} />
        `
      }
      ${
        !isRequest &&
        !event &&
        html`
          <${Json} value=${frame} />
        `
      }
    </aside>
  `;
}

const Received = ({ frame, world }) =>
  frame.users.length
    ? html`
        <span class="soft">to${" "}</span>
        ${frame.users.slice(0, 60).map(
          (id, at) => html`
            ${at ? ", " : ""}
            <bdi>${world.byId.get(id)?.full_name ?? id}</bdi>
          `,
        )}${frame.users.length > 60 ? ` and ${frame.users.length - 60} more` : ""}
      `
    : "to nobody";
