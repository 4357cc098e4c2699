/** What tests assert of requests. */

import { isRefusal } from "./error.js";
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
