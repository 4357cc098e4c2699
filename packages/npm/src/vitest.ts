/** A world for each vitest test. */

import { expect, test as base } from "vitest";
import type { StartOptions } from "./start.js";
import { end, toHaveReceived, worldFor } from "./testing.js";
import type { Assertion, Waiting, WorldOptions } from "./types.js";
import type { World } from "./world.js";

interface Fixtures {
  /** How the server is started, where CHATDOUBLE_URL names none; the first test that needs one decides. */
  serverOptions: StartOptions;
  /** How the world is made; a fork of `default` unless a `fixture` is given. */
  worldOptions: WorldOptions;
  /** A world of this test's own, deleted afterwards. */
  world: World;
}

/** `test` of vitest with the fixture `world`. */
export const test = base.extend<Fixtures>({
  serverOptions: {},
  worldOptions: {},
  world: async ({ task, serverOptions, worldOptions }, use) => {
    const names = [task.name];
    for (let suite = task.suite; suite?.name; suite = suite.suite) names.unshift(suite.name);
    const world = await worldFor(names.join(" > "), worldOptions, serverOptions);
    await use(world);
    await end(world, task.result?.state === "fail", (text) => console.error(text));
  },
});
/** The same as `test`. */
export const it = test;

expect.extend({ toHaveReceived });
export { expect };
export { afterAll, afterEach, beforeAll, beforeEach, describe, vi } from "vitest";

interface Received<Result> {
  /** Asserts that the world received such requests: now, or within `timeoutMs`. */
  toHaveReceived(assertion: Assertion, waiting?: Waiting): Result;
}

declare module "vitest" {
  interface Matchers<T = any> extends Received<Promise<void>> {}
}
