// People: who they are, their keys, their queues; ten thousand of them in one list.
import { copy, handle, html, plural, useMemo, useState } from "../lib.js";
import { attempt, toasts } from "../store.js";
import { go, pathOf } from "../route.js";
import { Dialog, Empty, Face, Name } from "../part/common.js";
import { Icon } from "../part/icons.js";
import { useKeys } from "../part/keys.js";
import { Qr } from "../part/qr.js";
import { Sideways } from "../part/sideways.js";
import { VirtualList } from "../part/virtual.js";

const ROLES = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 };
const KINDS = { owner: "accent", administrator: "info", moderator: "info", guest: "warn" };

/** A user who may change users. */
const manager = (world) => world.users.find((user) => user.is_active && user.role === "owner" && !user.is_bot);

function Card({ user, world, onClose }) {
  const [asked, ask] = useState(null);
  const queues = world.queues.filter((queue) => queue.user === user.email);
  const change = async (method, path, params, text) => {
    const owner = manager(world);
    if (!owner) {
      toasts.show("No active owner could do it", "bad");
      return;
    }
    if (await attempt(() => world.ask(owner, method, path, params))) {
      toasts.show(`${text}, as ${handle(owner.email)}`);
      world.refresh("users", 0);
    }
  };
  const lose = async (queue) => {
    if (await attempt(() => world.call("DELETE", `/queues/${encodeURIComponent(queue.queue_id)}`))) {
      toasts.show("Lost: its next poll fails with BAD_EVENT_QUEUE_ID");
      world.refresh("queues", 0);
    }
  };
  const address = `${location.origin}${world.name === "default" ? "" : `/w/${world.name}`}`;
  return html`
    <aside class="details" aria-label="Details">
      <header class="row">
        <${Face} user=${user} big />
        <div class="grow">
          <h2 class="cut"><${Name}>${user.full_name}<//></h2>
          <p class="soft small cut">${user.email}</p>
        </div>
        <button class="button plain square" aria-label="Close details" onClick=${onClose}>
          <${Icon} name="close" />
        </button>
      </header>
      <div class="rows">
        <button
          class="button little first"
          onClick=${() => {
            world.actAs = user.email;
            go(pathOf(world.name, "act"));
          }}
        >
          <${Icon} name="act" size="13" />
          Act as
        </button>
        ${
          user.is_active
            ? html`
                <button class="button little bad" onClick=${() => ask("deactivate")}>Deactivate …</button>
              `
            : html`
                <button
                  class="button little"
                  onClick=${() => change("POST", `/users/${user.user_id}/reactivate`, {}, `${user.full_name} is active again`)}
                >
                  Reactivate
                </button>
              `
        }
        <button class="button little" onClick=${() => ask("qr")}>
          <${Icon} name="qr" size="13" />
          QR code
        </button>
      </div>
      <dl class="pairs">
        <dt>Role</dt>
        <dd>
          ${
            user.is_bot
              ? html`
                  bot${user.owner ? `, of ${handle(user.owner)}` : ""}
                `
              : html`
                  <select
                    class="input"
                    aria-label="Role"
                    value=${user.role}
                    onChange=${(event) => change("PATCH", `/users/${user.user_id}`, { role: ROLES[event.target.value] }, `Now ${event.target.value}`)}
                  >
                    ${Object.keys(ROLES).map(
                      (role) => html`
                        <option value=${role} selected=${role === user.role}>${role}</option>
                      `,
                    )}
                  </select>
                `
          }
        </dd>
        <dt>Number</dt>
        <dd class="number">${user.user_id}</dd>
        <dt>Unread</dt>
        <dd class="number">${user.unread}</dd>
        <dt>API key</dt>
        <dd>
          <code>${user.api_key}</code>
          ${" "}
          <button
            class="button little square"
            aria-label="Copy the key"
            onClick=${() => copy(user.api_key, toasts.show, "Key")}
          >
            <${Icon} name="copy" size="12" />
          </button>
        </dd>
      </dl>
      <h3>${plural(queues.length, "event queue")}</h3>
      ${
        queues.length === 0
          ? html`
              <p class="soft small">None: no client of ${user.full_name} is registered.</p>
            `
          : queues.map(
              (queue) => html`
                <div class="boxed small stack" key=${queue.queue_id}>
                  <div class="row">
                    <b class="cut">${queue.client}</b>
                    <span class=${`tag ${queue.parked ? "good" : ""}`}>${queue.parked ? "parked" : "not polling"}</span>
                    <span class="grow"></span>
                    <button class="button little bad" onClick=${() => lose(queue)}>Lose queue</button>
                  </div>
                  <dl class="pairs">
                    <dt>Pending</dt>
                    <dd class="number">${queue.pending}</dd>
                    <dt>Last event</dt>
                    <dd class="number">${queue.last_event_id}, acknowledged ${queue.acknowledged}</dd>
                    <dt>Queue</dt>
                    <dd class="mono tiny">${queue.queue_id}</dd>
                    ${
                      queue.capabilities.length > 0 &&
                      html`
                        <dt>Capabilities</dt>
                        <dd class="tiny">${queue.capabilities.join(", ")}</dd>
                      `
                    }
                  </dl>
                </div>
              `,
            )
      }
      ${
        asked === "qr" &&
        html`
          <${Dialog} title=${`Sign in as ${user.full_name}`} onClose=${() => ask(null)}>
            <div class="qr-box">
              <${Qr}
                text=${`${address}\n${user.email}\n${user.api_key}`}
                label="Address of the server, address and key of the account"
              />
            </div>
            <p class="soft small">Three lines: the server’s address, the account’s address and its key.</p>
            <pre class="code">
${address}
${user.email}
${user.api_key}</pre>
            ${
              /^(127\.|localhost|\[::1)/.test(location.hostname) &&
              html`
                <p class="note warn">
                  This page was opened at ${location.hostname}, which a phone can't reach. Start with${" "}
                  <code>--host 0.0.0.0 --control-token TOKEN</code>
                  ${" "}and open the console at this machine's address.
                </p>
              `
            }
          <//>
        `
      }
      ${
        asked === "deactivate" &&
        html`
          <${Dialog}
            title=${`Deactivate ${user.full_name}?`}
            submit="Deactivate"
            onClose=${() => ask(null)}
            onSubmit=${async () => {
              ask(null);
              await change(
                "DELETE",
                user.is_bot ? `/bots/${user.user_id}` : `/users/${user.user_id}`,
                {},
                `${user.full_name} is deactivated`,
              );
            }}
          >
            <p>
              Their key is refused, and a parked poll is answered with 401. An owner does it over the public API, so
              clients receive its events.
            </p>
          <//>
        `
      }
    </aside>
  `;
}

export function PeopleView({ world }) {
  const [text, setText] = useState("");
  const [kind, setKind] = useState("");
  const [chosen, setChosen] = useState(null);
  const queues = useMemo(() => {
    const found = new Map();
    for (const queue of world.queues) found.set(queue.user, [...(found.get(queue.user) ?? []), queue]);
    return found;
  }, [world.queues]);
  const rows = useMemo(
    () =>
      world.users
        .filter(
          (user) =>
            (!text || `${user.full_name} ${user.email} ${user.role}`.toLowerCase().includes(text)) &&
            (!kind ||
              (kind === "bot"
                ? user.is_bot
                : kind === "connected"
                  ? queues.has(user.email)
                  : kind === "gone"
                    ? !user.is_active
                    : user.role === kind && !user.is_bot)),
        )
        .map((user) => ({ key: user.user_id, user })),
    [world.users, text, kind, queues],
  );
  const at = chosen === null ? -1 : rows.findIndex((row) => row.key === chosen);
  useKeys((key) => {
    if (key === "j" || key === "k")
      setChosen(rows[Math.max(0, Math.min(rows.length - 1, at + (key === "j" ? 1 : -1)))]?.key ?? null);
    else if (key === "Escape") setChosen(null);
    else return false;
    return true;
  });
  return html`
    <${Sideways} class="live-bar">
      <h1 class="bar-title">People</h1>
      <label class="search">
        <${Icon} name="search" size="14" />
        <span class="unseen">Search</span>
        <input
          class="input"
          data-search
          placeholder="Search name, address, role"
          onInput=${(event) => setText(event.target.value.toLowerCase())}
        />
      </label>
      <select class="input" aria-label="Kind" onChange=${(event) => setKind(event.target.value)}>
        <option value="">Everybody</option>
        <option value="connected">With a queue</option>
        ${Object.keys(ROLES).map(
          (role) => html`
            <option value=${role}>${role}s</option>
          `,
        )}
        <option value="bot">bots</option>
        <option value="gone">deactivated</option>
      </select>
      <span class="soft small number" role="status">${plural(rows.length, "person", "people")}</span>
    <//>
    <div class="live">
      ${
        rows.length === 0
          ? html`
              <${Empty} title="Nobody fits"><p>Search for a part of a name or an address.</p><//>
            `
          : html`
              <${VirtualList}
                rows=${rows}
                height=${48}
                label="People"
                chosen=${at}
                render=${({ user, key }) => {
                  const own = queues.get(user.email) ?? [];
                  const parked = own.filter((queue) => queue.parked).length;
                  return html`
                    <div
                      class=${`live-row person ${key === chosen ? "chosen" : ""}`}
                      key=${key}
                      onClick=${() => setChosen(key === chosen ? null : key)}
                    >
                      <${Face} user=${user} />
                      <button class="person-name cut" aria-pressed=${key === chosen}>
                        <b><${Name}>${user.full_name}<//></b>
                        <span class="soft tiny cut">${user.email}</span>
                      </button>
                      <span class=${`tag ${user.is_bot ? "" : (KINDS[user.role] ?? "")}`}>
                        ${user.is_bot ? "bot" : user.role}
                      </span>
                      ${
                        !user.is_active &&
                        html`
                          <span class="tag bad">deactivated</span>
                        `
                      }
                      <span class="grow"></span>
                      ${
                        user.unread > 0 &&
                        html`
                          <span class="soft tiny number wide">${user.unread.toLocaleString("en")} unread</span>
                        `
                      }
                      ${
                        own.length > 0 &&
                        html`
                          <span class=${`tag ${parked ? "good" : "warn"}`}>
                            <span class="dot"></span>
                            ${parked ? `${parked} parked` : `${own.length} idle`}
                          </span>
                        `
                      }
                      <code class="soft wide key">${user.api_key}</code>
                      <button
                        class="button plain little square"
                        aria-label=${`Copy the key of ${user.full_name}`}
                        onClick=${(event) => {
                          event.stopPropagation();
                          copy(user.api_key, toasts.show, "Key");
                        }}
                      >
                        <${Icon} name="copy" size="13" />
                      </button>
                    </div>
                  `;
                }}
              />
            `
      }
      ${
        at >= 0 &&
        html`
          <${Card} key=${chosen} user=${rows[at].user} world=${world} onClose=${() => setChosen(null)} />
        `
      }
    </div>
  `;
}
