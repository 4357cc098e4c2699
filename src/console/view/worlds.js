// Worlds: all of them, and what is done with whole ones.
import { html, moment, plural, span, useEffect, useMemo, useState, useStore } from "../lib.js";
import { attempt, toasts, worlds } from "../store.js";
import { control, worldPath } from "../control.js";
import { fork, zoneNow } from "../bar.js";
import { go, pathOf } from "../route.js";
import { Dialog, Item, Menu } from "../part/common.js";
import { Icon } from "../part/icons.js";

const SHOWN = 200;
// Where releases of the real server ended; others can be typed.
const RELEASES = [
  [371, "10.0"],
  [277, "9.0"],
  [237, "8.0"],
  [185, "7.0"],
  [156, "6.0"],
  [122, "5.0"],
  [65, "4.0"],
  [25, "3.0"],
];

function Make({ onClose }) {
  const make = async (form) => {
    const given = Object.fromEntries([...form].filter(([, value]) => value !== ""));
    if (given.feature_level) given.feature_level = Number(given.feature_level);
    const made = await attempt(() => control("POST", "/worlds", given));
    if (made) go(pathOf(made.name, "live"));
  };
  return html`
    <${Dialog} title="New world" submit="Make it" onClose=${onClose} onSubmit=${make}>
      <label class="field">
        Name
        <input
          class="input"
          name="name"
          placeholder="generated"
          pattern="[a-z0-9]([a-z0-9\\-]*[a-z0-9])?"
          maxlength="63"
        />
      </label>
      <label class="field">
        Label
        <input class="input" name="label" placeholder="any text, such as a test's name" />
      </label>
      <label class="field">
        What is in it
        <select class="input" name="fixture">
          <option value="default">default: one of each kind of thing</option>
          <option value="cast">cast: people and channels, nothing due</option>
          <option value="empty">empty: only an owner</option>
          <option value="hostile">hostile: data that breaks clients</option>
          <option value="large">large: ten thousand users</option>
        </select>
      </label>
      <div class="halves">
        <label class="field">
          Clock
          <select class="input" name="clock">
            <option value="frozen">frozen</option>
            <option value="real">runs with real time</option>
          </select>
        </label>
        <label class="field">
          Dialect
          <select class="input" name="dialect">
            <option value="">as the server</option>
            <option>neutral</option>
            <option>zulip</option>
          </select>
        </label>
        <label class="field">
          Feature level
          <input class="input" type="number" name="feature_level" min="0" placeholder="the newest" list="releases" />
          <datalist id="releases">
            ${RELEASES.map(
              ([level, name]) => html`
                <option value=${level}>release ${name}</option>
              `,
            )}
          </datalist>
        </label>
      </div>
    <//>
  `;
}

function Row({ row, onAsk }) {
  const extra = worlds.extra.get(row.name);
  const broken = worlds.broken.get(row.name) ?? [];
  const now = Date.now() / 1000;
  return html`
    <tr>
      <td>
        <a class="world-name" href=${pathOf(row.name, "live")}>${row.name}</a>
        ${
          row.label &&
          html`
            <div class="soft tiny cut"><bdi>${row.label}</bdi></div>
          `
        }
        ${
          broken.length > 0 &&
          html`
            ${" "}
            <span class="tag bad" title=${broken.map((one) => one.what).join("\n")}>
              ${plural(broken.length, "invariant")} broken
            </span>
          `
        }
      </td>
      <td class="number">${row.users.toLocaleString("en")}</td>
      <td class="number wide">${row.messages.toLocaleString("en")}</td>
      <td class="number wide">
        ${row.queues}${
          extra && row.queues > 0
            ? html`
                ${" "}
                <span class="soft tiny">${extra.parked} parked, ${row.queues - extra.parked} idle</span>
              `
            : ""
        }
      </td>
      <td class="wide">
        ${
          extra?.armed > 0
            ? html`
                <span class="tag warn">${extra.armed} armed</span>
              `
            : html`
                <span class="soft">none</span>
              `
        }
      </td>
      <td class="number wide">${moment(row.now, zoneNow())}</td>
      <td class="number soft wide">${span(now - row.created_at)}</td>
      <td class="number soft">${row.last_request_at ? `${span(now - row.last_request_at)} ago` : "never"}</td>
      <td>
        <div class="row">
          <a class="button little" href=${pathOf(row.name, "live")}>Open</a>
          <${Menu} label=${`More of ${row.name}`} icon="down">
            <${Item} icon="fork" onClick=${() => fork(row.name)}>Fork<//>
            <${Item} icon="reset" onClick=${() => onAsk({ reset: row.name })}>Reset …<//>
            ${
              row.name !== "default" &&
              html`
                <${Item} icon="bin" bad onClick=${() => onAsk({ remove: row.name })}>Delete …<//>
              `
            }
          <//>
        </div>
      </td>
    </tr>
  `;
}

export function WorldsView() {
  useStore(worlds);
  const [text, setText] = useState("");
  const [asked, ask] = useState(null);
  const found = useMemo(
    () => (worlds.list ?? []).filter((row) => `${row.name} ${row.label ?? ""}`.toLowerCase().includes(text)),
    [worlds.list, text],
  );
  const shown = found.slice(0, SHOWN);
  const names = shown
    .slice(0, 50)
    .map((row) => row.name)
    .join(" ");
  useEffect(() => {
    const timer = setInterval(worlds.load, 2000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (names) worlds.look(names.split(" "));
  }, [worlds.list, names]);
  useEffect(() => {
    if (names) worlds.check(names.split(" ").slice(0, 20));
  }, [names]);
  const done = async (work, text) => {
    const reply = await attempt(work);
    if (!reply) return;
    toasts.show(typeof text === "function" ? text(reply) : text);
    ask(null);
    worlds.load();
  };
  return html`
    <div class="page">
      <div class="page-head">
        <h1>Worlds</h1>
        ${
          worlds.offline &&
          html`
            <span class="tag bad">the server does not answer</span>
          `
        }
        <span class="grow"></span>
        <label class="search">
          <${Icon} name="search" size="14" />
          <span class="unseen">Search</span>
          <input
            class="input"
            data-search
            placeholder="Search name or label"
            onInput=${(event) => setText(event.target.value.toLowerCase())}
          />
        </label>
        ${
          worlds.list?.length > 1 &&
          html`
            <button class="button" onClick=${() => ask({ prefix: true })}>
              <${Icon} name="bin" size="14" />
              Delete by prefix
            </button>
          `
        }
        <button class="button first" onClick=${() => ask({ make: true })}>
          <${Icon} name="plus" size="14" />
          New world
        </button>
        <p class="about">
          Each is a whole organization with its own users, clock, faults and journal. Worlds do not affect each other.
        </p>
      </div>
      <div class="card scrolls">
        <table class="list worlds">
          <thead>
            <tr>
              <th>World</th>
              <th>Users</th>
              <th class="wide">Messages</th>
              <th class="wide">Queues</th>
              <th class="wide">Faults</th>
              <th class="wide">World time</th>
              <th class="wide">Age</th>
              <th>Last request</th>
              <th><span class="unseen">Actions</span></th>
            </tr>
          </thead>
          <tbody>
            ${shown.map(
              (row) => html`
                <${Row} key=${row.name} row=${row} onAsk=${ask} />
              `,
            )}
          </tbody>
        </table>
        ${
          worlds.list &&
          found.length === 0 &&
          html`
            <div class="empty"><h2>No world has this name</h2></div>
          `
        }
        ${
          found.length > SHOWN &&
          html`
            <p class="soft small foot">${plural(found.length - SHOWN, "more world")}: search for them.</p>
          `
        }
      </div>
      ${
        worlds.list?.length === 1 &&
        html`
          <div class="tip card">
            <div class="body row">
              <${Icon} name="fork" size="20" />
              <p class="grow">
                <b>A fork costs nothing.</b>
                ${" "}
                <span class="soft">
                  Give each test, or each idea, a world of its own:${" "}
                  <code>POST /control/worlds {"fork_of": "default"}</code>
                </span>
              </p>
              <button class="button" onClick=${() => fork("default")}>Fork default</button>
            </div>
          </div>
        `
      }
      ${
        asked?.make &&
        html`
          <${Make} onClose=${() => ask(null)} />
        `
      }
      ${
        asked?.remove &&
        html`
          <${Dialog}
            title=${`Delete ${asked.remove}?`}
            submit="Delete"
            onClose=${() => ask(null)}
            onSubmit=${() => done(() => control("DELETE", worldPath(asked.remove)), `${asked.remove} is gone`)}
          >
            <p>Its data, queues and journal go with it; parked polls are answered.</p>
          <//>
        `
      }
      ${
        asked?.reset &&
        html`
          <${Dialog}
            title=${`Reset ${asked.reset}?`}
            submit="Reset"
            onClose=${() => ask(null)}
            onSubmit=${() => done(() => control("POST", worldPath(asked.reset, "/reset"), {}), `${asked.reset} is reset`)}
          >
            <p>Data and clock go back to the world's initial state. Queues end, faults and journal are emptied.</p>
          <//>
        `
      }
      ${
        asked?.prefix &&
        html`
          <${Dialog}
            title="Delete by prefix"
            submit="Delete"
            onClose=${() => ask(null)}
            onSubmit=${(form) =>
              done(
                () => control("DELETE", `/worlds?prefix=${encodeURIComponent(form.get("prefix"))}`),
                (reply) => `${plural(reply.deleted.length, "world")} deleted`,
              )}
          >
            <label class="field">
              All worlds whose names start with
              <input class="input" name="prefix" required placeholder="ci-" />
            </label>
            <p class="soft small">default stays.</p>
          <//>
        `
      }
    </div>
  `;
}
