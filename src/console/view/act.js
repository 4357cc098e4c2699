// Act as: two people side by side, each over the public API alone; what is clicked is recorded.
import { handle, html, plural, span, useEffect, useMemo, useReducer, useState } from "../lib.js";
import { Recording } from "../record.js";
import { toasts } from "../store.js";
import { Icon } from "../part/icons.js";
import { Export } from "./act/export.js";
import { Pane } from "./act/pane.js";

const recordings = new Map();

/** The recording of a world. Once begun, it goes on in every view: faults, snapshots and jumps belong to the story. */
function recordingOf(world) {
  if (!recordings.has(world.name)) recordings.set(world.name, new Recording());
  const recording = recordings.get(world.name);
  world.recording = recording;
  world.onRequest ??= (step) => {
    if (!recording.state) return;
    recording.request(step);
    world.changed();
  };
  const beginAgain = (why) => {
    if (recording.steps.length) toasts.show(`What was recorded is forgotten: ${why}`);
    recording.begin(world).catch(() => {});
  };
  world.onChange ??= (change) => {
    if (recording.control(change)) beginAgain("the world went back to before it");
    world.changed();
  };
  world.onFrame ??= (frame, was, serial) => {
    if (recording.frame(frame, was, serial)) beginAgain("the world went back to before it");
  };
  world.onMissed ??= (found) => recording.missed(found);
  world.onLook ??= (found) => {
    if (!recording.isStoppedBefore(found.running)) return recording.look(found);
    beginAgain();
    return true;
  };
  world.onRestart ??= () => {
    if (recording.state || recording.steps.length) beginAgain("the server was started again");
    world.changed();
  };
  return recording;
}

const keyOf = (world) => `chatdouble.recorded ${world.name}`;

/** How many steps a page recorded that was loaded again since: a recording is the page's alone. */
function lostSteps(world) {
  try {
    return recordingOf(world).state ? 0 : Number(sessionStorage.getItem(keyOf(world)) ?? 0);
  } catch {
    return 0;
  }
}

/** Asks before the page is left with what was recorded in it, and notes for the next page how much that was. */
addEventListener("beforeunload", (event) => {
  if ([...recordings.values()].some(({ steps }) => steps.length)) event.preventDefault();
});
addEventListener("pagehide", () => {
  try {
    for (const [name, { steps }] of recordings) sessionStorage.setItem(keyOf({ name }), String(steps.length));
  } catch {
    /* The next page does not say it. */
  }
});

export function ActView({ world }) {
  const recording = recordingOf(world);
  const [, again] = useReducer((count) => count + 1, 0);
  // The dialogs that end a recording lead here, to export it before.
  const exports = Boolean(world.exports);
  const setExports = (shows) => {
    world.exports = shows;
    again();
  };
  const [lost, setLost] = useState(lostSteps(world));
  const people = world.users.filter((user) => user.is_active && !user.is_bot);
  const first = useMemo(() => {
    const asked = world.actAs && world.byEmail.get(world.actAs);
    world.actAs = null;
    const [before, other] = world.sessions.map((session) => world.byEmail.get(session.user.email));
    const members = [...people.filter((user) => user.role === "member"), ...people];
    const one = asked ?? before ?? members[0];
    return [one, (other !== one && other) || (members.find((user) => user !== one) ?? one)];
  }, []);
  const begin = () => recording.begin(world).then(again, () => {});
  useEffect(() => {
    if (!recording.state) begin();
    try {
      sessionStorage.removeItem(keyOf(world));
    } catch {
      /* It says again what was lost. */
    }
  }, []);
  if (!first[0])
    return html`
      <div class="empty">
        <h2>Nobody to act as</h2>
        <p>This world has no active human users.</p>
      </div>
    `;
  return html`
    <div class="act-bar">
      <h1>Act as</h1>
      <span class=${`tag ${recording.steps.length ? "bad" : ""}`}>
        <${Icon} name="record" size="11" />
        ${recording.steps.length ? plural(recording.steps.length, "step") : "recording"}
      </span>
      <span class="soft small cut grow">
        ${recording.steps.length ? describe(recording.steps.at(-1)) : "Send, drag a message onto another conversation, react, jump. What you do is recorded."}
      </span>
      <button
        class="button little"
        disabled=${!recording.steps.length}
        onClick=${() => {
          begin();
          again();
        }}
      >
        <${Icon} name="bin" size="13" />
        Forget
      </button>
      <button
        class="button little first"
        disabled=${!recording.steps.length || !recording.state}
        onClick=${() => {
          world.look();
          setExports(true);
        }}
      >
        Export as scenario
      </button>
    </div>
    ${
      lost > 0 &&
      html`
        <p class="note warn" role="status">
          The page was loaded again: ${plural(lost, "recorded step")} ${lost === 1 ? "is" : "are"} lost. A recording
          stays until its page is closed or loaded again.${" "}
          <button class="button little" onClick=${() => setLost(0)}>Dismiss</button>
        </p>
      `
    }
    <div class="panes">
      ${first.map(
        (user, side) => html`
          <${Pane}
            key=${side}
            side=${side}
            world=${world}
            recording=${recording}
            initial=${user}
            onRecorded=${again}
            onUser=${(at, one) => recording.seat(at, one.email, world.serial)}
          />
        `,
      )}
    </div>
    ${
      exports &&
      html`
        <${Export} world=${world} recording=${recording} onClose=${() => setExports(false)} />
      `
    }
  `;
}

const outcome = (status) => (status === 200 ? "" : status ? ` refused, ${status}` : ", no reply");

function describe(step) {
  if (step.isStop) return "Last: stopped the clock";
  if (step.kind === "jump") return `Last: jumped ${span(step.seconds)}`;
  if (step.kind === "control") return `Last: control ${step.method} ${step.path}`;
  return `Last: ${handle(step.user)} ${step.method} ${step.path}${outcome(step.status)}`;
}
