// Live: requests and the events that they caused, as they happen.
import {
  clock as clockText,
  copy,
  handle,
  html,
  milliseconds,
  moment,
  plural,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from "../lib.js";
import { attempt, toasts } from "../store.js";
import { move, said, zoneNow } from "../bar.js";
import { go, pathOf } from "../route.js";
import { curl, scenarioStep } from "../steps.js";
import { Face, Json, Name } from "../part/common.js";
import { Icon } from "../part/icons.js";
import { useKeys } from "../part/keys.js";
import { VirtualList } from "../part/virtual.js";
import { Why } from "../part/why.js";
import { eventWords, requestWords } from "../part/words.js";

const HEIGHT = 34;

/** What an entry is found by, worked out once. */
function textOf(entry, world) {
  if (entry.text === undefined || entry.textOf !== entry.events.length) {
    const { frame } = entry;
    const words =
      entry.kind === "request"
        ? [
            frame.method,
            frame.path,
            frame.user ?? "",
            world.who(frame.user)?.full_name ?? "",
            frame.status,
            frame.fault ?? "",
            frame.hint ?? "",
            ...Object.values(frame.params),
            frame.reply?.msg ?? "",
            frame.reply?.code ?? "",
          ]
        : [entry.kind, JSON.stringify(frame.event ?? frame.fired ?? frame.push ?? "")];
    entry.text = [...words, ...entry.events.map((one) => JSON.stringify(one.event))].join(" ").toLowerCase();
    entry.textOf = entry.events.length;
  }
  return entry.text;
}

function admits(entry, filter, world) {
  const { frame } = entry;
  const isRequest = entry.kind === "request";
  if (filter.kind === "requests" && !isRequest) return false;
  if (filter.kind === "errors" && !(isRequest && (frame.status >= 400 || frame.status === 0 || frame.fault)))
    return false;
  if (filter.kind === "faults" && !(isRequest && frame.fault)) return false;
  if (filter.kind === "changes" && (isRequest ? frame.method === "GET" : false)) return false;
  if (filter.user && (isRequest ? frame.user !== filter.user : true)) return false;
  if (filter.client && (isRequest ? frame.client !== filter.client : true)) return false;
  return !filter.text || textOf(entry, world).includes(filter.text);
}

/** Rows of the list: an entry, then its events. */
function rowsOf(entries, filter, world) {
  const rows = [];
  for (const entry of entries) {
    if (!admits(entry, filter, world)) continue;
    rows.push({ key: entry.key, entry, size: entry.events.length });
    if (filter.kind === "requests") continue;
    for (const frame of entry.events) rows.push({ key: `${entry.key} ${frame.id}`, entry, frame });
  }
  return rows;
}

const statusKind = (status) => (status === 0 ? "bad" : status < 300 ? "good" : status < 500 ? "warn" : "bad");

function RequestRow({ row, world, zone }) {
  const { frame } = row.entry;
  const user = world.who(frame.user);
  return html`
    <span class="live-time number">${clockText(frame.at, zone)}</span>
    <${Face} user=${user} />
    <span class="live-who cut"><${Name}>${user?.full_name ?? frame.user ?? "anonymous"}<//></span>
    <span class=${`live-method m-${frame.method}`}>${frame.method}</span>
    <span class="live-path mono cut">${frame.path}</span>
    <span class="live-words cut soft"><bdi>${requestWords(frame, world)}</bdi></span>
    ${
      frame.fault &&
      html`
        <span class="tag warn">${frame.fault}</span>
      `
    }
    <span class=${`tag ${statusKind(frame.status)} number`}>${frame.status || "no reply"}</span>
    <span class="live-took number soft">
      ${frame.duration_ms < 1000 ? `${Math.max(frame.duration_ms, 0.1).toFixed(1)} ms` : `${(frame.duration_ms / 1000).toFixed(1)} s`}
    </span>
  `;
}

function EventRow({ frame, world, alone, zone }) {
  const told = frame.users ?? [];
  return html`
    <span class="live-time number">${alone ? clockText(frame.at, zone) : ""}</span>
    <span class="live-branch" aria-hidden="true">${alone ? "" : "└"}</span>
    <span class="tag accent">${frame.event.type}${frame.event.op ? ` ${frame.event.op}` : ""}</span>
    <span class="live-words cut"><bdi>${eventWords(frame.event, world)}</bdi></span>
    <span class="live-to cut soft">
      to${" "}${told.length > 3 ? plural(told.length, "user") : told.map((id) => world.byId.get(id)?.full_name.split(" ")[0] ?? id).join(", ") || "nobody"}
    </span>
  `;
}

function OtherRow({ entry, world, zone }) {
  const { frame, kind } = entry;
  if (kind === "event")
    return html`
      <${EventRow} frame=${frame} world=${world} alone zone=${zone} />
    `;
  if (kind === "push")
    return html`
      <span class="live-time number">${clockText(frame.at, zone)}</span>
      <span class="tag info">push</span>
      <span class="live-words cut">
        <bdi>${handle(frame.push.user)}: ${frame.push.kind} ${frame.push.payload?.content ?? ""}</bdi>
      </span>
    `;
  return html`
    <span class="live-time number">${clockText(frame.at, zone)}</span>
    <span class="tag info">
      <${Icon} name="agenda" size="11" />
      clock
    </span>
    <span class="live-words cut">
      ${moment(frame.from, zone)}
      ${" "}→${" "}${moment(frame.now, zone)}${frame.fired.length ? ` · ${frame.fired.map((item) => said(item, world)).join(", ")}` : ""}
    </span>
  `;
}

function Details({ row, world, onClose }) {
  const { entry } = row;
  const frame = row.frame ?? entry.frame;
  const zone = zoneNow();
  const isRequest = entry.kind === "request" && !row.frame;
  const event = row.frame ?? (entry.kind === "event" ? entry.frame : null);
  const user = world.who(frame.user);
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
                : entry.kind
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
                  ${new Date(entry.real).toLocaleTimeString("en-GB")}.${milliseconds(entry.real).slice(-3)}
                </dd>
              `
            }
            <dt>Answered</dt>
            <dd>${frame.status || "no reply"} in ${frame.duration_ms.toFixed(2)} ms</dd>
            ${
              frame.fault &&
              html`
                <dt>Fault</dt>
                <dd><a href=${pathOf(world.name, "faults")}>${frame.fault}</a></dd>
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

function Welcome({ world }) {
  const mel = world.users.find((user) => user.is_active && !user.is_bot && user.role === "member") ?? world.users[0];
  const base = `${location.origin}${world.name === "default" ? "" : `/w/${world.name}`}`;
  const lines = `export SITE=${base}\nexport AUTH=${mel?.email}:${mel?.api_key}\ncurl -u $AUTH $SITE/api/v1/messages -d type=channel -d to=general -d topic=hello -d content='Hello, *world*!'`;
  return html`
    <div class="empty">
      <${Icon} name="live" size="34" />
      <h2>Waiting for the first request</h2>
      <p>
        Point a client at this world. Each request appears here, with the events that it causes below it. These three
        lines connect one:
      </p>
      <pre class="code" tabindex="0">${lines}</pre>
      <div class="rows">
        <button class="button first" onClick=${() => copy(lines, toasts.show, "Lines")}>
          <${Icon} name="copy" size="14" />
          Copy them
        </button>
        <a class="button" href=${pathOf(world.name, "act")}>or act as one of its people</a>
      </div>
    </div>
  `;
}

export function LiveView({ world }) {
  const [filter, setFilter] = useState({ text: "", user: "", kind: "", client: "" });
  const [paused, setPaused] = useState(null);
  const [chosen, setChosen] = useState(null);
  const zone = zoneNow();
  const source = paused ?? world.entries;
  // Entries are added to in place; their number and the newest one's events say whether there is something new.
  const mark = `${source.length} ${source.at(-1)?.key} ${source.slice(-40).reduce((sum, entry) => sum + entry.events.length, 0)}`;
  const rows = useMemo(() => rowsOf(source, filter, world), [source, mark, filter, world.users]);
  const clients = useMemo(
    () =>
      [...new Set(world.entries.filter((entry) => entry.kind === "request").map((entry) => entry.frame.client))].sort(),
    [mark],
  );
  const at = chosen ? rows.findIndex((row) => row.key === chosen) : -1;
  const set = (change) => setFilter({ ...filter, ...change });
  const pause = () => setPaused(paused ? null : [...world.entries]);
  useKeys((key) => {
    if (key === "j" || key === "k")
      setChosen(
        rows[
          Math.max(
            0,
            Math.min(rows.length - 1, (at < 0 ? rows.length - (key === "j" ? 1 : 0) : at) + (key === "j" ? 1 : -1)),
          )
        ]?.key ?? null,
      );
    else if (key === "Escape") setChosen(null);
    else if (key === " ") pause();
    else if (key === "n") move(world, { to_next: true });
    else return false;
    return true;
  });
  useEffect(() => {
    globalThis.consoleReady = true;
  }, []);
  const renderRow = useCallback(
    (row) => html`
      <div
        class=${`live-row ${row.frame ? "is-event" : row.entry.kind} ${row.key === chosen ? "chosen" : ""}`}
        key=${row.key}
        role="button"
        tabindex="-1"
        onClick=${() => setChosen(row.key === chosen ? null : row.key)}
      >
        ${
          row.frame
            ? html`
                <${EventRow} frame=${row.frame} world=${world} />
              `
            : row.entry.kind === "request"
              ? html`
                  <${RequestRow} row=${row} world=${world} zone=${zone} />
                `
              : html`
                  <${OtherRow} entry=${row.entry} world=${world} zone=${zone} />
                `
        }
      </div>
    `,
    [chosen, world, zone, world.users],
  );
  const isEmpty = world.entries.length === 0;
  return html`
    <h1 class="unseen">Live</h1>
    <div class="live-bar">
      <label class="search">
        <${Icon} name="search" size="14" />
        <span class="unseen">Search</span>
        <input
          class="input"
          data-search
          placeholder="Search path, text, code …"
          value=${filter.text}
          onInput=${(event) => set({ text: event.target.value.toLowerCase() })}
        />
      </label>
      <select
        class="input"
        aria-label="User"
        value=${filter.user}
        onChange=${(event) => set({ user: event.target.value })}
      >
        <option value="">All users</option>
        ${world.users.slice(0, 500).map(
          (user) => html`
            <option value=${user.email}>${user.full_name}</option>
          `,
        )}
      </select>
      <select
        class="input"
        aria-label="Kind"
        value=${filter.kind}
        onChange=${(event) => set({ kind: event.target.value })}
      >
        <option value="">Everything</option>
        <option value="requests">Requests</option>
        <option value="changes">What changes something</option>
        <option value="errors">Errors and faults</option>
        <option value="faults">Faults</option>
      </select>
      ${
        clients.length > 1 &&
        html`
          <select
            class="input"
            aria-label="Client"
            value=${filter.client}
            onChange=${(event) => set({ client: event.target.value })}
          >
            <option value="">All clients</option>
            ${clients.map(
              (one) => html`
                <option value=${one}>${one}</option>
              `,
            )}
          </select>
        `
      }
      <span class="soft small number live-count" role="status">${plural(rows.length, "row")}</span>
      <span class="grow"></span>
      ${
        world.missed > 0 &&
        html`
          <span class="tag warn">${world.missed} missed</span>
        `
      }
      <button class="button little" aria-pressed=${Boolean(paused)} onClick=${pause}>
        <${Icon} name=${paused ? "play" : "pause"} size="13" />
        ${paused ? `Go on, ${world.entries.length - paused.length} new` : "Pause"}
      </button>
      <button
        class="button little"
        onClick=${() =>
          attempt(async () => {
            await world.call("DELETE", "/journal");
            world.entries = [];
            setPaused(null);
            world.changed();
          })}
      >
        <${Icon} name="bin" size="13" />
        Clear
      </button>
    </div>
    <div class=${`live ${at >= 0 ? "has-details" : ""}`}>
      ${
        isEmpty
          ? html`
              <${Welcome} world=${world} />
            `
          : rows.length === 0
            ? html`
                <div class="empty">
                  <h2>Nothing fits the filter</h2>
                  <button class="button" onClick=${() => setFilter({ text: "", user: "", kind: "", client: "" })}>
                    Show everything
                  </button>
                </div>
              `
            : html`
                <${VirtualList}
                  rows=${rows}
                  height=${HEIGHT}
                  follows=${!paused}
                  label="Requests and events"
                  chosen=${at}
                  render=${renderRow}
                />
              `
      }
      ${
        at >= 0 &&
        html`
          <${Details} row=${rows[at]} world=${world} onClose=${() => setChosen(null)} />
        `
      }
    </div>
  `;
}
