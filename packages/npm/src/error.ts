import { indented, requestLine } from "./line.js";

/** A line of a stack within this package. */
export const OWN_FRAME = /[\\/]chatdouble[\\/]dist[\\/]/;

/** Control refused a request, or a request of this package got no reply. */
export class ChatdoubleError extends Error {
  override name = "ChatdoubleError";

  constructor(
    message: string,
    /** The HTTP status; 0 when there was no reply. */
    readonly status: number = 0,
    /** Control's code, such as `BAD_REQUEST` or `VERIFICATION_FAILED`; empty when there was no reply. */
    readonly code: string = "",
    /** The reply as received; for a failed assertion it has `count` and `nearest`. */
    readonly body: any = null,
  ) {
    super(message);
    // The caller's line is what matters; the frames of this package would be above it.
    const lines = this.stack?.split("\n").filter((line) => !OWN_FRAME.test(line));
    if (lines) this.stack = lines.join("\n").replace(/^Error/, "ChatdoubleError");
  }
}

/** Whether what was expected did not happen. */
export function isRefusal(error: any): error is ChatdoubleError {
  return error?.name === "ChatdoubleError" && error.code === "VERIFICATION_FAILED";
}

/** A value in a reply that each reply of that call has. */
export function part(reply: any, name: string): any {
  if (typeof reply !== "object" || reply === null || reply[name] === undefined)
    throw new ChatdoubleError(`this is no reply of chatdouble: it lacks '${name}'`, 200, "", reply);
  return reply[name];
}

/** A list in a reply, whose elements are objects. */
export function rows(reply: any, name: string): any[] {
  const list = part(reply, name);
  if (!Array.isArray(list) || list.some((row) => typeof row !== "object" || row === null || Array.isArray(row)))
    throw new ChatdoubleError(`this is no reply of chatdouble: '${name}' is no list of objects`, 200, "", reply);
  return list;
}

/** The message of a refusal; that of an assertion with the requests that match, and how those differ that come near. */
export function describe(msg: string, body: any): string {
  const shown: any[] = Array.isArray(body?.nearest) ? body.nearest : [];
  const compared = shown.filter((near) => typeof near?.diff === "string");
  const matching = compared.filter((near) => near.diff.trim() === "" && near.entry);
  const lines = [msg];
  if (matching.length > 0) {
    lines.push("The requests that match:", ...matching.map((near) => indented(requestLine(near.entry))));
    if (body.count > matching.length) lines.push(`  and ${body.count - matching.length} more`);
  }
  // Requests that differ in the same way are shown once.
  const diffs = [...new Set(compared.map((near) => near.diff).filter((diff) => diff.trim() !== ""))];
  if (diffs.length > 0) lines.push("Differences from the nearest requests:", ...diffs);
  return lines.join("\n");
}
