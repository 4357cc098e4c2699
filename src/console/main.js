// The frame around all views: navigation, the world that is open, keys, theme.
import { html, render, save, saved, useEffect, useState, useStore } from "./lib.js";
import { connections, otherAddress } from "./connections.js";
import { hasToken, setToken } from "./control.js";
import { followLinks, go, onRoute, pathOf, route } from "./route.js";
import { leaveWorld, openWorld, worlds } from "./store.js";
import { Bar } from "./bar.js";
import { Dialog, Empty, Toasts } from "./part/common.js";
import { Icon } from "./part/icons.js";
import { Keys } from "./part/keys.js";
import { nearest } from "./part/nearest.js";
import { Sideways } from "./part/sideways.js";
import { WorldsView } from "./view/worlds.js";
import { LiveView } from "./view/live.js";
import { PeopleView } from "./view/people.js";
import { ChannelsView } from "./view/channels.js";
import { ActView } from "./view/act.js";
import { FaultsView } from "./view/faults.js";
import { PushesView } from "./view/pushes.js";
import { ReportView } from "./view/report.js";
import { StateView } from "./view/state.js";

const VIEWS = [
  ["live", "Live", LiveView],
  ["people", "People", PeopleView],
  ["channels", "Channels", ChannelsView],
  ["act", "Act as", ActView],
  ["faults", "Faults", FaultsView],
  ["pushes", "Pushes", PushesView],
  ["report", "Report", ReportView],
  ["state", "State", StateView],
];

function theme(chosen) {
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

/** Light or dark, as the system has it until one chooses. */
function switchTheme() {
  const isDark = saved("theme", matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light") === "dark";
  save("theme", isDark ? "light" : "dark");
  theme(isDark ? "light" : "dark");
}

function Navigation({ place, world, onHelp }) {
  const counts = world
    ? {
        live: world.entries.length,
        people: world.users.length,
        channels: world.channels.length,
        faults: world.faults.filter((fault) => !(fault.times && fault.fired >= fault.times)).length,
        pushes: world.pushes.length,
      }
    : {};
  return html`
    <${Sideways} tag="nav" class="side" aria-label="Views" shows=".here" at=${`${place.world} ${place.view}`}>
      <a class="brand" href="/console" aria-label="chatdouble, all worlds">
        <img src="/console/files/icon.svg" alt="" width="26" height="26" />
        <span>chatdouble</span>
      </a>
      <a
        class=${`side-link ${place.world ? "" : "here"}`}
        href="/console"
        aria-current=${place.world ? undefined : "page"}
      >
        <${Icon} name="worlds" />
        <span>Worlds</span>
      </a>
      ${
        place.world &&
        html`
          <p class="side-world cut" title=${place.world}>${place.world}</p>
          ${VIEWS.map(
            ([name, title]) => html`
              <a
                class=${`side-link ${place.view === name ? "here" : ""}`}
                href=${pathOf(place.world, name)}
                aria-current=${place.view === name ? "page" : undefined}
              >
                <${Icon} name=${name} />
                <span>${title}</span>
                ${
                  counts[name] > 0 &&
                  html`
                    <span class=${`side-count number ${name === "faults" ? "warn" : ""}`}>
                      ${counts[name].toLocaleString("en")}
                    </span>
                  `
                }
              </a>
            `,
          )}
        `
      }
      <span class="grow side-gap"></span>
      <div class="side-foot">
        <button class="button plain square" aria-label="Light or dark" onClick=${switchTheme}>
          <${Icon} name="sun" />
        </button>
        <button class="button plain square" aria-label="Keys and help" onClick=${onHelp}>
          <${Icon} name="help" />
        </button>
      </div>
    <//>
  `;
}

function TokenForm() {
  const sent = (event) => {
    event.preventDefault();
    setToken(new FormData(event.target).get("token"));
    location.reload();
  };
  return html`
    <${Empty} title="This server asks for its control token">
      <p>
        It is what${" "}
        <code>serve --control-token</code>
        ${" "}or CHATDOUBLE_CONTROL_TOKEN was given. It stays in this tab.
      </p>
      ${
        hasToken() &&
        html`
          <p class="note bad" role="alert">The server refused the token that was entered.</p>
        `
      }
      <form class="row" onSubmit=${sent}>
        <input
          class="input"
          name="token"
          type="password"
          aria-label="Control token"
          aria-invalid=${hasToken() ? "true" : undefined}
          autocomplete="off"
          required
        />
        <button class="button first">Open</button>
      </form>
    <//>
  `;
}

/** Says that polls take all connections of the browser, and what helps. */
function Crowded() {
  const { areExhausted, polls } = useStore(connections);
  const other = otherAddress();
  if (!areExhausted) return null;
  return html`
    <div class="note warn lost" role="alert">
      ${`${polls} clients of Act as poll in tabs of this browser, which opens at most six connections to ${location.host} over HTTP/1.1: further requests wait without end. Close one of the tabs, `}
      ${
        other &&
        html`
          open it at${" "}
          <a href=${other} target="_blank" rel="noopener">${other}</a>
          ${" instead, "}
        `
      }
      or start the server with${" "}
      <code>--tls</code>
    </div>
  `;
}

function Lost({ world }) {
  if (world.state === "live" || world.state === "connecting") return null;
  const gone = world.state === "gone";
  return html`
    <div class=${`note ${gone ? "bad" : "warn"} lost`} role="alert">
      ${
        gone
          ? html`
              There is no world ${world.name} any more. What is shown is the last that was seen of it.${" "}
              <a href="/console">All worlds</a>
            `
          : world.state === "token"
            ? "The server asks for its control token: load the page again."
            : "The server does not answer. Connecting again …"
      }
    </div>
  `;
}

/** The page for a world that was not there when it was opened. */
function Unknown({ name }) {
  const near = nearest(
    name,
    (worlds.list ?? []).map((row) => row.name),
  );
  return html`
    <main class="view" id="view">
      <${Empty} title=${`There is no world ${name}`}>
        <p>
          ${
            near &&
            html`
              Did you mean${" "}
              <a href=${pathOf(near, "live")}>${near}</a>
              ?${" "}
            `
          }Tests
          make worlds, and delete them when they end. This page opens the world as soon as it is there.
        </p>
        <a class="button first" href="/console">All worlds</a>
      <//>
    </main>
  `;
}

function InWorld({ world, view }) {
  useStore(world);
  const View = (VIEWS.find(([name]) => name === view) ?? VIEWS[0])[2];
  const never = world.state !== "live" && !world.row;
  if (never && world.state === "gone")
    return html`
      <${Unknown} name=${world.name} />
    `;
  return html`
    <${Bar} world=${world} />
    <${Lost} world=${world} />
    <main class="view" id="view">
      ${
        never
          ? html`
              <div class="empty" aria-busy="true">${world.state === "connecting" ? "Opening the world …" : ""}</div>
            `
          : html`
              <${View} key=${`${world.name} ${view}`} world=${world} />
            `
      }
    </main>
  `;
}

function Console() {
  const [place, setPlace] = useState(route());
  const [world, setWorld] = useState(null);
  const [helps, setHelps] = useState(false);
  const [last, setLast] = useState(null);
  useStore(worlds);
  useEffect(() => onRoute(() => setPlace(route())), []);
  useEffect(() => {
    worlds.load().then(() => {
      // Whoever has one world wants to see it; /console lists all of them.
      if (isEntrance && !route().world && worlds.list?.length === 1)
        go(pathOf(worlds.list[0].name, "live"), { replace: true });
    });
  }, []);
  useEffect(() => {
    if (!place.world) {
      setWorld(null);
      return undefined;
    }
    setLast(place.world);
    const opened = openWorld(place.world);
    setWorld(opened);
    return () => leaveWorld(opened);
  }, [place.world]);
  useEffect(() => {
    const title = VIEWS.find(([name]) => name === place.view)?.[1] ?? "Worlds";
    document.title = place.world ? `${title} · ${place.world} · chatdouble` : "chatdouble";
  }, [place]);
  const shown = world && world.name === place.world ? world : null;
  return html`
    <div class="frame">
      <${Side} place=${place} world=${shown} onHelp=${() => setHelps(true)} />
      <div class="main">
        <${Crowded} />
        ${
          worlds.needsToken
            ? html`
                <main class="view"><${TokenForm} /></main>
              `
            : place.world
              ? shown &&
                html`
                  <${InWorld} key=${place.world} world=${shown} view=${place.view} />
                `
              : html`
                  <main class="view" id="view"><${WorldsView} /></main>
                `
        }
      </div>
      <${Toasts} />
      <${Keys}
        world=${place.world ?? openedBy(last)}
        views=${VIEWS.map(([name]) => name)}
        onHelp=${() => setHelps(true)}
      />
      ${
        helps &&
        html`
          <${Help} onClose=${() => setHelps(false)} />
        `
      }
    </div>
  `;
}

/** The world whose views the number keys open while all worlds are shown: the last one that was open, or the first. */
const openedBy = (last) => (worlds.list?.find((row) => row.name === last) ?? worlds.list?.[0])?.name ?? null;

const NOBODY = { subscribe: () => () => {} };
function Side(given) {
  useStore(given.world ?? NOBODY);
  return html`
    <${Navigation} ...${given} />
  `;
}

function Help({ onClose }) {
  const keys = [
    ["/", "Search in this view"],
    ["j  k", "Next, previous entry"],
    ["Enter", "Open the entry"],
    ["Esc", "Close"],
    ["1 … 8", "Go to a view, of the world that was open last"],
    ["w", "All worlds"],
    ["Space", "Pause and go on in Live"],
    ["n", "Jump to what is due next"],
    ["?", "This list"],
  ];
  return html`
    <${Dialog} title="Keys" onClose=${onClose}>
      <dl class="pairs">
        ${keys.map(
          ([key, what]) => html`
            <dt>
              ${key.split("  ").map(
                (one) => html`
                  <kbd>${one}</kbd>
                  ${" "}
                `,
              )}
            </dt>
            <dd>${what}</dd>
          `,
        )}
      </dl>
      <p class="soft small">
        All that is done here can be done by a script:${" "}
        <code>GET /control</code>
        ${" "}lists the calls.
      </p>
    <//>
  `;
}

theme(saved("theme", "system"));
const isEntrance = location.pathname === "/";
if (isEntrance) {
  const named = location.hostname.match(/^([a-z0-9-]+)\.localhost$/);
  go(named ? pathOf(named[1], "live") : "/console", { replace: true });
}
followLinks();
connections.follow();
render(
  html`
    <${Console} />
  `,
  document.getElementById("console"),
);
