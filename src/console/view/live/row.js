// A line of the list: a request, an event below it, or what else happened.
import { clock as clockText, handle, html, moment, plural, realTime } from "../../lib.js";
import { saidTogether } from "../../bar.js";
import { Face, Name } from "../../part/common.js";
import { Icon } from "../../part/icons.js";
import { causeWords, effectWords, eventWords, frameWords, requestWords } from "../../part/words.js";

const statusKind = (status) => (status === 0 ? "bad" : status < 300 ? "good" : status < 500 ? "warn" : "bad");

/** When the page received it, since control says the time of the world alone. */
export const Real = ({ entry }) => html`
  <span class="live-real number soft" title="Real time at which this page received it">
    ${entry.real ? `real ${realTime(entry.real)}` : ""}
  </span>
`;

export function RequestRow({ row, world, zone }) {
  const { frame } = row.entry;
  const user = world.who(frame.user);
  const effect = world.effects.get(frame.fault);
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
        <span class="tag warn" title=${effect && effectWords(effect)}>${frame.fault}</span>
      `
    }
    <span class=${`tag ${statusKind(frame.status)} number`}>${frame.status || "no reply"}</span>
    <span class="live-took number soft">
      ${frame.duration_ms < 1000 ? `${Math.max(frame.duration_ms, 0.1).toFixed(1)} ms` : `${(frame.duration_ms / 1000).toFixed(1)} s`}
    </span>
    <${Real} entry=${row.entry} />
  `;
}

export function EventRow({ frame, world, alone, zone }) {
  const receivers = frame.users ?? [];
  return html`
    <span class="live-time number">${alone ? clockText(frame.at, zone) : ""}</span>
    <span class="live-branch" aria-hidden="true">${alone ? "" : "└"}</span>
    <span class="tag accent">${frame.event.type}${frame.event.op ? ` ${frame.event.op}` : ""}</span>
    <span class="live-words cut"><bdi>${eventWords(frame.event, world)}</bdi></span>
    <span class="live-to cut soft">
      to${" "}${receivers.length > 3 ? plural(receivers.length, "user") : receivers.map((id) => world.byId.get(id)?.full_name.split(" ")[0] ?? id).join(", ") || "nobody"}
    </span>
  `;
}

export function OtherRow({ entry, world, zone }) {
  const { frame, kind } = entry;
  if (kind === "event")
    return html`
      <${EventRow} frame=${frame} world=${world} alone zone=${zone} />
      <${Real} entry=${entry} />
    `;
  if (kind === "push")
    return html`
      <span class="live-time number">${clockText(frame.at, zone)}</span>
      <span class="tag info">push</span>
      <span class="live-words cut">
        <bdi>${handle(frame.push.user)}: ${frame.push.kind} ${frame.push.payload?.content ?? ""}</bdi>
      </span>
      <${Real} entry=${entry} />
    `;
  if (kind !== "clock")
    return html`
      <span class="live-time number">${frame.at === undefined ? "" : clockText(frame.at, zone)}</span>
      <span class="tag info">${String(frame.type).replaceAll("_", " ")}</span>
      <span class="live-words cut"><bdi>${frameWords(frame, entry.was)}</bdi></span>
      <${Real} entry=${entry} />
    `;
  return html`
    <span class="live-time number">${clockText(frame.at, zone)}</span>
    <span class="tag info">
      <${Icon} name="agenda" size="11" />
      clock
    </span>
    <span class="live-words cut">
      ${causeWords(frame)}${moment(frame.from, zone)}
      ${" "}→${" "}${moment(frame.now, zone)}${frame.fired.length ? ` · ${saidTogether(frame.fired, world, 12)}` : ""}
    </span>
    <${Real} entry=${entry} />
  `;
}
