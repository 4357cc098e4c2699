// A request as something to paste: a line of curl, or a step of a scenario.
import { handle } from "./lib.js";

const quoted = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;

/** The command that sends a request of the journal again. */
export function curl(world, entry, user) {
  const inQuery = entry.method === "GET";
  const parts = ["curl"];
  if (inQuery && Object.keys(entry.params).length) parts.push("-G");
  else if (!inQuery && entry.method !== "POST") parts.push("-X", entry.method);
  if (user) parts.push("-u", quoted(`${user.email}:${user.api_key}`));
  const base = `${location.origin}/w/${world}`;
  const isFile = /^\/(user_uploads|user_avatars|avatar|static)\//.test(entry.path);
  parts.push(quoted(base + (isFile ? "" : "/api/v1") + entry.path));
  for (const [name, value] of Object.entries(entry.params)) parts.push("--data-urlencode", quoted(`${name}=${value}`));
  if (entry.method === "POST" && !Object.keys(entry.params).length) parts.push("-X", "POST");
  return parts.join(" ");
}

/** A text with braces that are its own. */
export const escaped = (text) => String(text).replaceAll("{{", "\\{{");

const indented = (line) => (line ? `  ${line}` : line);

/** A value as a scenario has it after the name in its line: further lines are indented. */
export const value = (text) => {
  const [first, ...further] = escaped(text).split("\n");
  return [first, ...further.map(indented)].join("\n");
};

/** A parameter's line; a text of several lines, and one that begins with white space, begins on the next one. */
export const parameter = (name, text) =>
  /^\s|\n/.test(text) ? `${name}:\n${text.split("\n").map(indented).join("\n")}` : `${name}: ${text}`;

const fence = (head, lines) => {
  const body = lines.join("\n");
  const ticks = "`".repeat(Math.max(3, ...[...body.matchAll(/`{3,}/g)].map(([run]) => run.length + 1)));
  return `${ticks}${head}\n${body}${body ? "\n" : ""}${ticks}`;
};
export const block = fence;

/** A request of the journal as a block of a scenario; of a refusal, its status and its code are expected. */
export function scenarioStep(entry) {
  const lines = [
    `${entry.user ? handle(entry.user) : "anonymous"}: ${entry.method} ${entry.path}`,
    ...Object.entries(entry.params).map(([name, text]) => parameter(name, escaped(text))),
  ];
  const { status, reply } = entry;
  const expected = status && reply?.code ? [JSON.stringify({ code: reply.code })] : [];
  const failed = status !== 200 ? `\n${fence(status ? `reply ${status}` : "reply none", expected)}` : "";
  return `${fence("request", lines)}${failed}\n`;
}
