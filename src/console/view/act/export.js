// What was recorded, as a scenario.
import { needsOf } from "../../beginning.js";
import { copy, download, handle, html, listed, plural, useState } from "../../lib.js";
import { toasts } from "../../store.js";
import { scenarioOf } from "../../story.js";
import { Dialog } from "../../part/common.js";
import { Icon } from "../../part/icons.js";

/** How much of what is not in the story is named. */
const OMITTED_SHOWN = 8;

const shortened = (omitted) =>
  [...omitted.slice(0, OMITTED_SHOWN), ...(omitted.length > OMITTED_SHOWN ? ["…"] : [])].join("; ");

/** Those whose events are expected, by the choices of the dialog, of those who acted at the left and at the right. */
const OBSERVERS = {
  right: ([, right]) => right,
  left: ([left]) => left,
  both: (sides) => sides.flat(),
};

export function Export({ world, recording, onClose }) {
  const [title, setTitle] = useState("A story from the console");
  // What the person chose: null until then, since a story is to play by itself.
  const [chosen, setChosen] = useState(null);
  const [side, setSide] = useState("right");
  const began = recording.state;
  const sides = [0, 1].map((at) => recording.peopleAt(at));
  const people = [...new Set(sides.flat())];
  const observers = [...new Set(OBSERVERS[side](sides))];
  const names = listed(observers.map(handle));
  const fullName = (email) => world.byEmail.get(email)?.full_name ?? handle(email);
  const [left, right] = sides.map((emails) => emails.map(fullName).join(", then "));
  const name =
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "story";
  const needs = needsOf(recording, world);
  const isWhole = (chosen ?? needs.length > 0) && Boolean(began?.document);
  const {
    text,
    omitted,
    left: leftOut,
  } = scenarioOf(recording, world, {
    title,
    before: began?.messages ?? [],
    observers,
    people,
    fixture: isWhole ? `${name}.json` : null,
    needs,
  });
  const save = () => {
    download(`${name}.md`, text, "text/markdown");
    if (isWhole) download(`${name}.json`, JSON.stringify(began.document), "application/json");
  };
  return html`
    <${Dialog} title="Export as scenario" onClose=${onClose}>
      <label class="field">
        Title
        <input class="input" value=${title} onInput=${(event) => setTitle(event.target.value)} />
      </label>
      ${
        people.length > 1 &&
        html`
          <label class="field">
            Whose events are expected
            <select class="input" value=${side} onChange=${(event) => setSide(event.target.value)}>
              <option value="right">${right}, at the right</option>
              <option value="left">${left}, at the left</option>
              <option value="both">both</option>
            </select>
          </label>
        `
      }
      <label class="check">
        <input
          type="checkbox"
          checked=${isWhole}
          disabled=${!began?.document}
          onChange=${(event) => setChosen(event.target.checked)}
        />
        With the world's state at the start of the recording, in a second
        file${began?.document ? "" : ": the world has too many messages for it"}
      </label>
      ${
        needs.length > 0 &&
        html`
          <p class=${`note ${isWhole ? "" : "warn"}`} role="status">
            The recording began in a world that was not as the built-in organization is: ${needs.join("; ")}.${" "}
            ${isWhole ? "The second file has its state." : "Without its state in a second file, steps that need it are answered otherwise."}
          </p>
        `
      }
      <p class="soft small">
        Without it the story is played in the built-in organization.${" "}
        ${`Of messages, reactions and channels, the events that ${names} received${observers.length < people.length ? `, and those of ${people.length > 2 ? "all" : "both"} people in jumps of the clock,` : ""} are expected.`}
        ${" "}To record a client of your own, use${" "}
        <code>chatdouble scenario record</code>
        .
      </p>
      ${
        omitted.length > 0 &&
        html`
          <p class="note warn" role="alert">
            ${plural(omitted.length, "action is", "actions are")} not in the story: ${shortened(omitted)}.
          </p>
        `
      }
      ${
        leftOut.length > 0 &&
        html`
          <p class="note warn" role="alert">
            ${plural(leftOut.length, "step is", "steps are")} left out, since
            ${leftOut.length === 1 ? " it acts" : " they act"} on what is not in the story: ${shortened(leftOut)}.
          </p>
        `
      }
      <pre class="code export" tabindex="0">${text}</pre>
      <div class="row">
        <button type="button" class="button first" onClick=${save}>Download</button>
        <button type="button" class="button" onClick=${() => copy(text, toasts.show, "Scenario")}>
          <${Icon} name="copy" size="14" />
          Copy
        </button>
      </div>
      <p class="small">
        Play it:${" "}
        <code>chatdouble scenario run ${name}.md</code>
        ${isWhole ? ` (keep both files together: ${name}.md names ${name}.json)` : ""}
      </p>
    <//>
  `;
}
