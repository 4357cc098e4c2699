// The dialog in which the world's time and the time zone of the page are chosen.
import { html, save, useState, wallClock } from "../lib.js";
import { toasts } from "../store.js";
import { Dialog, Field } from "./common.js";
import { LATEST, instantOf, withSeconds } from "./instant.js";
import { nearest } from "./nearest.js";

function zoneProblem(zone) {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return null;
  } catch {
    const near = nearest(zone, Intl.supportedValuesOf("timeZone"));
    return `There is no time zone ${zone}${near ? `; did you mean ${near}?` : ""}`;
  }
}

/** `onZone` is called with the chosen zone, `onGo` moves the clock and throws when that is refused. */
export function WorldTime({ world, zone, onZone, onGo, onClose }) {
  const [refused, setRefused] = useState({});
  const now = world.time();
  const goTo = async (text, chosen) => {
    const { at, note, refused: why } = instantOf(text, chosen);
    if (why) return why;
    try {
      await onGo(at);
    } catch (error) {
      return error.message.replace(/^\$\S*: /, "");
    }
    if (note) toasts.show(note);
    return null;
  };
  const submit = async (form) => {
    const chosen = form.get("zone").trim() || "UTC";
    const problem = zoneProblem(chosen);
    setRefused({ zone: problem });
    if (problem) return;
    save("zone", chosen);
    onZone(chosen);
    const text = withSeconds(form.get("at"));
    const isOther = text !== form.get("was") && text !== wallClock(world.time(), chosen);
    const why = isOther ? await goTo(text, chosen) : null;
    if (why) setRefused({ at: why });
    else onClose();
  };
  return html`
    <${Dialog} title="World time" submit="Go there" onClose=${onClose} onSubmit=${submit}>
      <p class="soft small">
        Everything that falls due in between happens at its own time. The clock can't go back: restore a snapshot
        instead.
      </p>
      <input type="hidden" name="was" defaultValue=${wallClock(now, zone)} />
      <${Field}
        label="Instant"
        refused=${refused.at}
        type="datetime-local"
        step="1"
        name="at"
        required
        max=${LATEST}
        defaultValue=${wallClock(now, zone)}
      />
      <${Field}
        label="Time zone"
        refused=${refused.zone}
        name="zone"
        list="zones"
        defaultValue=${zone}
        spellcheck="false"
      />
      <datalist id="zones">
        ${Intl.supportedValuesOf("timeZone").map(
          (one) => html`
            <option value=${one} />
          `,
        )}
      </datalist>
    <//>
  `;
}
