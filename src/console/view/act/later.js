// The dialog in which a message is scheduled, by the world's clock.
import { clock as clockText, day, html, moment, useState, wallClock } from "../../lib.js";
import { toasts } from "../../store.js";
import { zoneNow } from "../../bar.js";
import { Dialog, Field, Keys } from "../../part/common.js";
import { LATEST, instantOf, nextDay } from "../../part/instant.js";
import { laterParams } from "./place.js";

const HOUR_S = 3600;
/** Refusals that are about the time, and not about the text. */
const ABOUT_TIME = /deliver|timestamp|future/i;

/** `act` makes a request as the person of the pane, `onSent` is called when the message is scheduled. */
export function Later({ world, where, draft, level, act, onSent, onClose }) {
  const zone = zoneNow();
  const [now] = useState(Math.floor(world.time()));
  const [when, setWhen] = useState("hour");
  const [refused, setRefused] = useState({});
  const morning = nextDay(now, zone, "09:00:00");
  const submit = async (form) => {
    setRefused({});
    const chosen = { hour: () => ({ at: Math.floor(world.time()) + HOUR_S }), morning: () => instantOf(morning, zone) };
    const { at, note, refused: why } = chosen[when]?.() ?? instantOf(form.get("at"), zone);
    if (why) {
      setRefused({ time: why });
      return;
    }
    const params = laterParams(where, form.get("content"), at, level);
    const onRefused = (text) => setRefused(ABOUT_TIME.test(text) ? { time: text } : { content: text });
    if (!(await act("POST", "/scheduled_messages", params, { onRefused }))) return;
    toasts.show(`Scheduled for ${moment(at, zone)}${note ? `. ${note}` : ""}`);
    onSent();
    onClose();
  };
  return html`
    <${Dialog} title="Schedule message" submit="Schedule" onClose=${onClose} onSubmit=${submit}>
      <${Field}
        as="textarea"
        label="Text"
        refused=${refused.content}
        name="content"
        rows="3"
        required
        defaultValue=${draft}
      />
      <${Keys} does="schedules it" />
      <${Field}
        as="select"
        label="When"
        refused=${when === "other" ? undefined : refused.time}
        name="when"
        value=${when}
        onChange=${(event) => setWhen(event.target.value)}
      >
        <option value="hour">in one hour: ${clockText(now + HOUR_S, zone).slice(0, 5)}</option>
        <option value="morning">tomorrow at 9:00: ${day(Date.parse(`${morning}Z`) / 1000, "UTC")}</option>
        <option value="other">at another time …</option>
      <//>
      ${
        when === "other" &&
        html`
          <${Field}
            label="Day and time"
            refused=${refused.time}
            type="datetime-local"
            name="at"
            required
            max=${LATEST}
            defaultValue=${wallClock(now + HOUR_S, zone).slice(0, 16)}
          />
        `
      }
      <p class="soft small">
        By the world's clock, in the time zone ${zone}, which the time in the bar chooses. It is sent when the clock
        gets there, and is in the agenda until then.
      </p>
    <//>
  `;
}
