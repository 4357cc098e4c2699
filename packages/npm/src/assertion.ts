/** What tests assert of requests. */

import { ChatdoubleError, isRefusal } from "./error.js";
import { isMatcher, shown } from "./event-values.js";
import type { Assertion, Waiting } from "./types.js";
import type { World } from "./world.js";

/** The assertion that a request too many makes true, for one that has only an upper limit. */
function excess({ exactly, atLeast = 0, atMost, ...which }: Assertion): Assertion | undefined {
  const limit = exactly === 0 ? 0 : atLeast === 0 && exactly === undefined ? atMost : undefined;
  return limit === undefined ? undefined : { ...which, atLeast: limit + 1 };
}

/**
 * The number of such requests: at once where no time is given, as soon as there are enough, or, with only an upper limit, after the
 * whole time.
 */
export async function counted(world: World, assertion: Assertion, waiting: Waiting): Promise<number> {
  if (waiting.timeoutMs === undefined) return await world.journal.verify(assertion);
  const tooMany = excess(assertion);
  if (tooMany === undefined) return await world.journal.waitFor(assertion, waiting);
  await world.journal.verify(assertion);
  await world.journal.waitFor(tooMany, waiting).catch((error) => {
    if (!isRefusal(error)) throw error;
  });
  return await world.journal.verify(assertion);
}

/** Throws for a matcher among the parameters of requests, which are compared by the server. */
export function checkParams(assertion: Assertion): void {
  const { params, path } = (assertion ?? {}) as { params?: unknown; path?: unknown };
  if (assertion?.atLeast === 0 && assertion.atMost === undefined && assertion.exactly === undefined)
    throw new ChatdoubleError("atLeast: 0 always holds; did you mean exactly: 0?");
  const refuse = (what: string, matcher: unknown) => {
    const filter = path === undefined ? "" : `{ path: ${JSON.stringify(path)} }`;
    const instead = `for a part of it, compare \`params\` of world.journal.entries(${filter})`;
    throw new ChatdoubleError(`${what}, not the matcher ${shown(matcher)}; ${instead}`);
  };
  if (isMatcher(params)) refuse("params takes an object of texts that were sent", params);
  for (const [name, value] of Object.entries(params ?? {}))
    if (isMatcher(value)) refuse(`params.${name} takes the text that was sent`, value);
}
