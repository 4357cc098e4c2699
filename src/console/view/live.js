// Live: requests and the events that they caused, as they happen.
import { copy, html, plural, useCallback, useEffect, useMemo, useState } from "../lib.js";
import { attempt, toasts } from "../store.js";
import { zoneNow } from "../bar.js";
import { pathOf } from "../route.js";
import { Icon } from "../part/icons.js";
import { useKeys } from "../part/keys.js";
import { Sideways } from "../part/sideways.js";
import { VirtualList } from "../part/virtual.js";
import { Details } from "./live/details.js";
import { rowsOf } from "./live/filter.js";
import { EventRow, OtherRow, RequestRow } from "./live/row.js";

const HEIGHT = 34;
/** In a narrow window a row has two lines. */
const NARROW_HEIGHT = 54;
const narrow = matchMedia("(max-width: 760px)");

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
  // A link to a request names its row.
  const [chosen, setChosen] = useState(location.hash.slice(1) || null);
  const [isNarrow, setNarrow] = useState(narrow.matches);
  const zone = zoneNow();
  const source = paused ?? world.entries;
  // Entries are added to in place; their number and the newest one's events say whether there is something new.
  const mark = `${source.length} ${source.at(-1)?.key} ${source.slice(-40).reduce((sum, entry) => sum + entry.events.length, 0)}`;
  const rows = useMemo(() => rowsOf(source, filter, world), [source, mark, filter, world.users, world.faults]);
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
    else return false;
    return true;
  });
  useEffect(() => {
    globalThis.consoleReady = true;
    const changed = () => setNarrow(narrow.matches);
    narrow.addEventListener("change", changed);
    return () => narrow.removeEventListener("change", changed);
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
    <${Sideways} class="live-bar">
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
            world.clear();
            setPaused(null);
          })}
      >
        <${Icon} name="bin" size="13" />
        Clear
      </button>
    <//>
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
                  height=${isNarrow ? NARROW_HEIGHT : HEIGHT}
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
