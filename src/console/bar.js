// The bar of a world: its time, jumps, what is due, snapshots, forks.
import {
  clock as clockText,
  day,
  handle,
  html,
  moment,
  offsetText,
  plural,
  realClock,
  saved,
  span,
  useEffect,
  useState,
} from "./lib.js";
import { attempt, toasts } from "./store.js";
import { control } from "./control.js";
import { go, pathOf } from "./route.js";
import { Dialog, Item, Menu } from "./part/common.js";
import { Icon } from "./part/icons.js";
import { useKeys } from "./part/keys.js";
import { Sideways } from "./part/sideways.js";
import { Timeline } from "./part/timeline.js";
import { WorldTime } from "./part/worldtime.js";

const WORDS = {
  reminder: "reminder",
  scheduled_message: "scheduled message",
  invite_expired: "invitation expires",
  queue_expired: "queue expires",
  heartbeat: "heartbeat",
  export_done: "export is done",
  full_member: "becomes a full member",
};

export function said(item, world) {
  const word = WORDS[item.kind] ?? item.kind.replaceAll("_", " ");
  const queue = item.queue_id && world.queues.find((one) => one.queue_id === item.queue_id);
  if (queue) return `${word} (${handle(queue.user)})`;
  const id = item.reminder_id ?? item.scheduled_message_id ?? item.invite_id ?? item.export_id;
  if (item.user_id) return `${word} (${world.byId.get(item.user_id)?.full_name ?? item.user_id})`;
  return id === undefined ? word : `${word} ${id}`;
}

/** Items in words, equal ones once with their number. */
export function saidTogether(items, world, most = items.length) {
  const counts = new Map();
  for (const item of items) {
    const words = said(item, world);
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  const all = [...counts].map(([words, count]) => (count > 1 ? `${words} ×${count}` : words));
  return all.slice(0, most).join(", ") + (all.length > most ? " …" : "");
}

/** Items of the agenda, with a user's queues that expire one after the other as one. */
function groups(items, world) {
  const found = [];
  for (const item of items) {
    const words = said(item, world);
    const last = found.at(-1);
    if (item.queue_id && last?.words === words) Object.assign(last, { count: last.count + 1, until: item.at });
    else found.push({ words, count: 1, at: item.at, until: item.at });
  }
  return found;
}

export const zoneNow = () => saved("zone", "UTC");

/** Moves the clock, lets it run or freezes it, and says what came of it. */
async function jump(world, body) {
  const reply = await world.call("POST", "/clock", body);
  world.setClock(reply);
  const fired = reply.fired?.filter((item) => item.kind !== "heartbeat") ?? [];
  const text =
    body.running !== undefined
      ? body.running
        ? "The clock runs with real time"
        : "The clock is frozen"
      : `${moment(reply.now, zoneNow())}. ${fired.length ? `${plural(fired.length, "thing")} fell due: ${saidTogether(fired, world, 4)}` : "Nothing fell due"}`;
  toasts.show(text, "", fired.length ? [["See it in Live", pathOf(world.name, "live")]] : []);
  return reply;
}

export const move = (world, body) => attempt(() => jump(world, body));

const levelTitle = ({ level, dialect }) => `Feature level ${level}, names of the dialect ${dialect}`;

function Time({ world }) {
  const [, tick] = useState(0);
  const [zone, setZone] = useState(zoneNow());
  const [asks, setAsks] = useState(false);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [world]);
  const now = world.time();
  // The world's time is not known before the world is read.
  if (!world.row)
    return html`
      <div class="time" aria-busy="true">
        <span class="time-clock number" aria-hidden="true">––:––:––</span>
        <span class="time-day soft"><span>loading</span></span>
      </div>
    `;
  return html`
    <button class="time" onClick=${() => setAsks(true)} title="Choose an instant and a time zone">
      <span class="time-clock number">${clockText(now, zone)}</span>
      <span class="time-day">
        <span>${day(now, zone)}</span>
        ${" "}
        <span class="soft">
          <span title=${`${zone}, UTC ${offsetText(now, zone)}`}>
            ${zone.split("/").at(-1).replaceAll("_", " ")}${zone === "UTC" ? "" : ` ${offsetText(now, zone)}`}
          </span>
          ${
            world.level &&
            html`
              <span class="level-short" title=${levelTitle(world)}>, level ${world.level}</span>
            `
          }
        </span>
      </span>
      <span class=${`tag ${world.running ? "good" : "info"}`}>${world.running ? "running" : "frozen"}</span>
      <span class="time-real soft" title="The time of this machine">
        <span>real time</span>
        ${" "}
        <span class="number">${realClock(Date.now())}</span>
      </span>
    </button>
    ${
      asks &&
      html`
        <${WorldTime}
          world=${world}
          zone=${zone}
          onZone=${setZone}
          onGo=${(at) => jump(world, { set: new Date(at * 1000).toISOString() })}
          onClose=${() => setAsks(false)}
        />
      `
    }
  `;
}

function Agenda({ world, onClose }) {
  const items = groups(world.agenda.slice(0, 1000), world).slice(0, 200);
  return html`
    <${Dialog} title="Agenda" onClose=${onClose}>
      ${
        items.length === 0
          ? html`
              <p class="soft">
                Nothing is due. Reminders, scheduled messages, expiring invitations and idle queues are listed here.
              </p>
            `
          : html`
              <ol class="agenda">
                ${items.map(
                  (item) => html`
                    <li class="row">
                      <span class="grow">
                        <b>${item.words}${item.count > 1 ? ` ×${item.count}` : ""}</b>
                        <br />
                        <span class="soft small number">
                          ${moment(item.at, zoneNow())}${item.until > item.at ? `, the last ${span(item.until - item.at)} later` : ""},
                          in ${span(item.at - world.time())}
                        </span>
                      </span>
                      <button
                        type="button"
                        class="button little"
                        onClick=${async () => {
                          if (await move(world, { set: item.at })) onClose();
                        }}
                      >
                        Go there
                      </button>
                    </li>
                  `,
                )}
              </ol>
            `
      }
    <//>
  `;
}

export async function fork(name, snapshot) {
  const made = await attempt(() => control("POST", "/worlds", { fork_of: name, ...(snapshot ? { snapshot } : {}) }));
  if (!made) return;
  toasts.show(`Forked as ${made.name}`);
  go(pathOf(made.name, "live"));
}

/** What of the recording is about to be lost, and the way to export it before. */
export const Loss = ({ world, onExport }) => html`
  <p class="note warn" role="alert">
    ${plural(world.recording.steps.length, "step")} will be lost; export first?${" "}
    <button
      type="button"
      class="button little"
      onClick=${() => {
        onExport();
        world.exports = true;
        go(pathOf(world.name, "act"));
        world.changed();
      }}
    >
      Export as scenario
    </button>
  </p>
`;

export function Bar({ world }) {
  useKeys((key) => {
    if (key !== "n") return false;
    move(world, { to_next: true });
    return true;
  });
  const [shown, show] = useState(null);
  // Heartbeats come all the time: the next thing is something else where there is something else.
  const next = world.agenda.find((item) => item.kind !== "heartbeat") ?? world.agenda[0];
  const snapshot = async (form) => {
    const name = form.get("name").trim();
    if (!(await attempt(() => world.call("POST", "/snapshots", { name })))) return;
    toasts.show(`Snapshot ${name} taken`);
    world.refresh("snapshots", 0);
    show(null);
  };
  const recorded = world.recording?.steps.length ?? 0;
  const restore = async (name) => {
    show(null);
    if (!(await attempt(() => world.call("POST", `/snapshots/${encodeURIComponent(name)}/restore`)))) return;
    await world.load();
    toasts.show(`Back at ${name}; event queues ended${world.running ? ", and the clock runs on" : ""}`);
  };
  /** Restores, or asks before what was recorded would be lost. */
  const choose = (name) => (world.recording?.isBefore(name) ? show({ restore: name }) : restore(name));
  const reset = async () => {
    world.clear();
    if (!(await attempt(() => world.call("POST", "/reset", {})))) return;
    toasts.show("The world is reset to its initial state");
    show(null);
    world.load();
  };
  const step = (text, span, label) => html`
    <button class="button little" aria-label=${label} onClick=${() => move(world, { advance_seconds: span })}>
      ${text}
    </button>
  `;
  return html`
    <header class="bar" aria-label="Time of the world">
      <${Time} world=${world} />
      <${Sideways} class="row steps">
        <button
          class="button little square"
          aria-label=${world.running ? "Stop the clock" : "Let the clock run"}
          onClick=${() => move(world, { running: !world.running })}
        >
          <${Icon} name=${world.running ? "pause" : "play"} size="13" />
        </button>
        ${step("+1 min", "1m", "+1 min: go on")}${step("+1 h", "1h", "+1 h: go on")}${step("+1 d", "1d", "+1 d: go on")}
        <button class="button little next" disabled=${!next} onClick=${() => move(world, { set: next.at })}>
          <${Icon} name="next" size="12" />
          <span class="cut">
            ${
              next
                ? html`
                    next: ${said(next, world)}${" "}
                    <span class="soft number">in ${span(next.at - world.time())}</span>
                  `
                : "nothing is due"
            }
          </span>
        </button>
        <button class="button little" onClick=${() => show("agenda")}>
          <${Icon} name="agenda" size="13" />
          Agenda${" "}
          <span class="soft number">${world.agenda.length}</span>
        </button>
      <//>
      <span class="grow"></span>
      ${
        world.level &&
        html`
          <span class="level soft number" title=${levelTitle(world)}>
            <span>level ${world.level}</span>
            ${" "}
            <span>${world.dialect}</span>
          </span>
        `
      }
      <${Menu} label="World: snapshots, fork, reset" text="World">
        <${Item} icon="camera" onClick=${() => show("snapshot")}>Take a snapshot …<//>
        ${world.snapshots.map(
          (one) => html`
            <${Item}
              icon="reset"
              says=${world.recording?.isBefore(one.name) ? "Not in the recording, which it would end" : undefined}
              onClick=${() => choose(one.name)}
            >
              Restore${" "}
              <b>${one.name}</b>
            <//>
            <${Item} icon="fork" onClick=${() => fork(world.name, one.name)}>
              Fork from${" "}
              <b>${one.name}</b>
            <//>
          `,
        )}
        <hr />
        <${Item} icon="fork" onClick=${() => fork(world.name)}>Fork this world<//>
        <${Item} icon="reset" bad onClick=${() => show("reset")}>Reset …<//>
      <//>
      ${
        shown === "agenda" &&
        html`
          <${Agenda} world=${world} onClose=${() => show(null)} />
        `
      }
      ${
        shown === "snapshot" &&
        html`
          <${Dialog} title="Take a snapshot" submit="Take it" onClose=${() => show(null)} onSubmit=${snapshot}>
            <label class="field">
              Name
              <input
                class="input"
                name="name"
                required
                defaultValue=${`snapshot-${world.snapshots.length + 1}`}
                onFocus=${(event) => event.target.select()}
              />
            </label>
            <p class="soft small">Data, clock and pushes. A snapshot of the same name is replaced.</p>
            ${
              world.running &&
              html`
                <p class="note" role="status">
                  After a restore the clock runs on: it keeps its distance to real time, and what fell due since then
                  happens at once. Freeze it before taking a snapshot to come back to the instant.
                </p>
              `
            }
          <//>
        `
      }
      ${
        shown === "reset" &&
        html`
          <${Dialog} title=${`Reset ${world.name}?`} submit="Reset" onClose=${() => show(null)} onSubmit=${reset}>
            <p>
              Data and clock go back to the world's initial state. Queues end, faults and journal are emptied, snapshots
              stay.
            </p>
            ${
              world.running &&
              html`
                <p class="note">
                  If the clock ran from the beginning, it runs on: it keeps its distance to real time, and what fell due
                  since then happens at once.
                </p>
              `
            }
            ${
              recorded > 0 &&
              html`
                <${Loss} world=${world} onExport=${() => show(null)} />
              `
            }
          <//>
        `
      }
      ${
        shown?.restore &&
        html`
          <${Dialog}
            title=${`Restore ${shown.restore}?`}
            submit="Restore"
            kind="bad"
            onClose=${() => show(null)}
            onSubmit=${() => restore(shown.restore)}
          >
            <p>The snapshot is not in the recording, which begins again.</p>
            ${
              world.running &&
              html`
                <p class="note">
                  If the clock ran when the snapshot was taken, it runs on: it keeps its distance to real time, and what
                  fell due since then happens at once.
                </p>
              `
            }
            <${Loss} world=${world} onExport=${() => show(null)} />
          <//>
        `
      }
    </header>
    <${Timeline}
      world=${world}
      zone=${zoneNow()}
      words=${(items) => saidTogether(items, world, 4)}
      onGo=${(at) => move(world, { set: at })}
    />
  `;
}
