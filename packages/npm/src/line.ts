/** Requests in a line, for people. */

/** The most characters of a parameter that are shown. */
const SHOWN_CHARACTERS = 60;

/** The status of a request whose connection was dropped. */
const DROPPED = 0;

/** A request of the journal, and below it why it was refused. */
export function requestLine(entry: any): string {
  const params = Object.entries(entry.params ?? {}).map(([name, value]) => `${name}=${short(String(value))}`);
  const fault = entry.fault ? `(${entry.fault})` : "";
  const outcome = entry.status === DROPPED ? "no reply" : entry.status;
  const words = [outcome, entry.method, entry.path, entry.user, ...params, fault];
  const reasons = [entry.status >= 400 ? entry.reply?.msg : undefined, entry.hint].filter(Boolean);
  const said = words.filter((word) => word !== null && word !== undefined && word !== "").join(" ");
  return [said, ...reasons].join("\n    ");
}

export function short(given: string): string {
  const text = given.replaceAll("\r", "\\r").replaceAll("\n", "\\n");
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/** Lines below another one. */
export function indented(text: string): string {
  return `  ${text.replaceAll("\n", "\n  ")}`;
}
