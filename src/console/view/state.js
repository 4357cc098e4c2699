// State: the world as a document, in and out, and what changed since a snapshot.
import { download, html, moment, plural, useRef, useState } from "../lib.js";
import { attempt, toasts } from "../store.js";
import { control, worldPath } from "../control.js";
import { Loss, zoneNow } from "../bar.js";
import { Dialog, Empty } from "../part/common.js";
import { Icon } from "../part/icons.js";
import { Tree, entriesOf, short } from "../part/tree.js";

const SHOWN = 500;

/** Differences between two documents, as paths. */
export function differences(one, other, path = "", out = []) {
  if (out.length >= SHOWN || one === other) return out;
  const both =
    one && other && typeof one === "object" && typeof other === "object" && Array.isArray(one) === Array.isArray(other);
  if (!both) {
    if (JSON.stringify(one) !== JSON.stringify(other)) out.push({ path, from: one, to: other });
    return out;
  }
  const before = new Map(entriesOf(one));
  const after = new Map(entriesOf(other));
  for (const [key, value] of before) differences(value, after.get(key), `${path}/${key}`, out);
  for (const [key, value] of after) if (!before.has(key)) differences(undefined, value, `${path}/${key}`, out);
  return out;
}

export function StateView({ world }) {
  const [asked, ask] = useState(null);
  const [found, setFound] = useState(null);
  const [broken, setBroken] = useState(null);
  const [read, setRead] = useState(null);
  const file = useRef();
  const save = async () => {
    const reply = await attempt(() => world.call("GET", "/state"));
    if (reply) download(`${world.name}.json`, JSON.stringify(reply.state, null, 1), "application/json");
  };
  const put = async (event) => {
    const [chosen] = event.target.files;
    if (!chosen) return;
    const text = await chosen.text();
    event.target.value = "";
    if (world.recording?.steps.length) ask({ name: chosen.name, text });
    else await replace(chosen.name, text);
  };
  const replace = async (name, text) => {
    ask(null);
    if (await attempt(() => world.call("PUT", "/state", text))) {
      toasts.show(`${name} is the world now; queues ended`);
      world.load();
    }
  };
  const compare = async (snapshot) => {
    setFound({ name: snapshot.name });
    // The snapshot's state is that of a fork from it, which is gone again at once.
    const rows = await attempt(async () => {
      const { name } = await control("POST", "/worlds", {
        fork_of: world.name,
        snapshot: snapshot.name,
        label: `comparing ${world.name} with its snapshot`,
      });
      try {
        const [then, now] = await Promise.all([control("GET", worldPath(name, "/state")), world.call("GET", "/state")]);
        return differences(then.state, now.state);
      } finally {
        await control("DELETE", worldPath(name));
      }
    });
    setFound(rows ? { name: snapshot.name, rows } : null);
  };
  const look = async () => {
    const reply = await attempt(() => world.call("GET", "/state"));
    if (reply) setRead({ state: reply.state, changes: read ? differences(read.state, reply.state) : [] });
  };
  const check = async () => {
    const reply = await attempt(() => world.call("GET", "/invariants"));
    if (reply) setBroken(reply);
  };
  return html`
    <div class="page">
      <div class="page-head">
        <h1>State</h1>
        <span class="grow"></span>
        <p class="about">
          The whole world as a document: data, keys, counters, clock, files. The same document is a fixture.
        </p>
      </div>
      <div class="rows">
        <button class="button first" onClick=${save}>
          <${Icon} name="down" size="14" />
          Download
        </button>
        <input type="file" hidden accept=".json,application/json" ref=${file} onChange=${put} />
        <button class="button" onClick=${() => file.current.click()}>Upload …</button>
        <button class="button" onClick=${check}>Check invariants</button>
      </div>
      ${
        broken &&
        html`
          <p class=${`note ${broken.violations.length ? "bad" : ""}`} role="status">
            ${broken.violations.length ? broken.violations.map((one) => `${one.invariant}: ${one.what}`).join("; ") : `All ${broken.checked.length} invariants hold.`}
          </p>
        `
      }
      ${
        asked &&
        html`
          <${Dialog}
            title=${`Make ${asked.name} the world?`}
            submit="Upload"
            kind="bad"
            onClose=${() => ask(null)}
            onSubmit=${() => replace(asked.name, asked.text)}
          >
            <p>The recording begins again.</p>
            <${Loss} world=${world} onExport=${() => ask(null)} />
          <//>
        `
      }
      <div class="card">
        <header><h2>What changed since</h2></header>
        ${
          world.snapshots.length === 0
            ? html`
                <${Empty} title="No snapshots yet">
                  <p>Take one above, do something, and see here what it changed.</p>
                <//>
              `
            : html`
                <div class="body rows">
                  ${world.snapshots.map(
                    (one) => html`
                      <button class="button" aria-pressed=${found?.name === one.name} onClick=${() => compare(one)}>
                        <${Icon} name="camera" size="14" />
                        ${one.name}${" "}
                        <span class="soft small">${moment(one.at, zoneNow())}</span>
                      </button>
                    `,
                  )}
                </div>
              `
        }
        ${
          found?.rows &&
          (found.rows.length === 0
            ? html`
                <p class="body soft">Nothing.</p>
              `
            : html`
                <p class="pad soft small" role="status">
                  ${plural(found.rows.length, "difference")}${found.rows.length >= SHOWN ? " at least" : ""}
                  ${" "}since${" "}${found.name}
                </p>
                <div class="scrolls">
                  <table class="list changes">
                    <thead>
                      <tr>
                        <th>Where</th>
                        <th>Then</th>
                        <th>Now</th>
                      </tr>
                    </thead>
                    <tbody>
                      ${found.rows.map(
                        (row) => html`
                          <tr key=${row.path}>
                            <td class="mono tiny">${row.path}</td>
                            <td>
                              ${
                                row.from === undefined
                                  ? html`
                                      <span class="tag good">new</span>
                                    `
                                  : html`
                                      <del class="wrap tiny mono"><bdi>${short(row.from)}</bdi></del>
                                    `
                              }
                            </td>
                            <td>
                              ${
                                row.to === undefined
                                  ? html`
                                      <span class="tag bad">gone</span>
                                    `
                                  : html`
                                      <ins class="wrap tiny mono"><bdi>${short(row.to)}</bdi></ins>
                                    `
                              }
                            </td>
                          </tr>
                        `,
                      )}
                    </tbody>
                  </table>
                </div>
              `)
        }
      </div>
      <div class="card">
        <header class="row">
          <h2 class="grow">The document</h2>
          <button class="button little" onClick=${look}>${read ? "Read again" : "Read"}</button>
        </header>
        ${
          read
            ? html`
                ${
                  read.changes.length > 0 &&
                  html`
                    <p class="pad soft small" role="status">
                      ${plural(read.changes.length, "difference")}${read.changes.length >= SHOWN ? " at least" : ""}
                      ${" "}since it was read before
                    </p>
                  `
                }
                <${Tree} value=${read.state} changes=${found?.rows ?? read.changes} />
              `
            : html`
                <p class="body soft">
                  All data as a tree, with a search. Read it again after something happened: what changed is marked.
                </p>
              `
        }
      </div>
    </div>
  `;
}
