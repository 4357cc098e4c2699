/** A refusal of control, or a request of this package that was not answered. */
export class ChatdoubleError extends Error {
  override name = "ChatdoubleError";

  constructor(
    message: string,
    /** The HTTP status; 0 when there was no reply. */
    readonly status: number = 0,
    /** Control's code, such as `BAD_REQUEST` or `VERIFICATION_FAILED`; empty when there was no reply. */
    readonly code: string = "",
    /** The reply as it came, with `count` and `nearest` for an assertion that does not hold. */
    readonly body: any = null,
  ) {
    super(message);
  }
}

/** What a refusal says, with the near misses of an assertion. */
export function describe(msg: string, body: any): string {
  const diffs: string[] = Array.isArray(body?.nearest)
    ? body.nearest.map((near: any) => near?.diff).filter((diff: unknown) => typeof diff === "string")
    : [];
  return diffs.length === 0 ? msg : `${msg}\nThe nearest requests differ so:\n${diffs.join("\n")}`;
}
