// Which requests and events the list shows.
import { effectWords } from "../../part/words.js";

/** What an entry is found by, worked out again when more of it is known. */
function textOf(entry, world) {
  const { frame } = entry;
  const effect = world.effects.get(frame.fault);
  if (entry.text === undefined || entry.textOf !== entry.events.length || (effect && !entry.hasEffect)) {
    const words =
      entry.kind === "request"
        ? [
            frame.method,
            frame.path,
            frame.user ?? "",
            world.who(frame.user)?.full_name ?? "",
            frame.status || "no reply",
            frame.fault ?? "",
            ...(effect ? [JSON.stringify(effect), effectWords(effect)] : []),
            frame.hint ?? "",
            ...Object.values(frame.params),
            frame.reply?.msg ?? "",
            frame.reply?.code ?? "",
          ]
        : [entry.kind, JSON.stringify(frame.event ?? frame.push ?? frame)];
    entry.text = [...words, ...entry.events.map((one) => JSON.stringify(one.event))].join(" ").toLowerCase();
    entry.textOf = entry.events.length;
    entry.hasEffect = Boolean(effect);
  }
  return entry.text;
}

function admits(entry, filter, world) {
  const { frame } = entry;
  const isRequest = entry.kind === "request";
  if (filter.kind === "requests" && !isRequest) return false;
  if (filter.kind === "errors" && !(isRequest && (frame.status >= 400 || frame.status === 0 || frame.fault)))
    return false;
  if (filter.kind === "faults" && !(isRequest && frame.fault)) return false;
  if (filter.kind === "changes" && (isRequest ? frame.method === "GET" : false)) return false;
  if (filter.user && (isRequest ? frame.user !== filter.user : true)) return false;
  if (filter.client && (isRequest ? frame.client !== filter.client : true)) return false;
  return !filter.text || textOf(entry, world).includes(filter.text);
}

/** Rows of the list: an entry, then its events. */
export function rowsOf(entries, filter, world) {
  const rows = [];
  for (const entry of entries) {
    if (!admits(entry, filter, world)) continue;
    rows.push({ key: entry.key, entry, size: entry.events.length });
    if (filter.kind === "requests") continue;
    for (const frame of entry.events) rows.push({ key: `${entry.key} ${frame.id}`, entry, frame });
  }
  return rows;
}
