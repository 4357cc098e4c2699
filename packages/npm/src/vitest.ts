/** A world for each vitest test. */

import { expect, test as base, type TestAPI } from "vitest";
import type { StartOptions } from "./start.js";
import { end, matchers, worldFor, type WorldMatchers } from "./testing.js";
import type { WorldOptions } from "./types.js";
import type { World } from "./world.js";

interface Fixtures {
  /** How the server is started, where CHATDOUBLE_URL names none; the first test that needs one decides. */
  serverOptions: StartOptions;
  /** How the world is made; a fork of `default` unless a `fixture` is given. */
  worldOptions: WorldOptions;
  /** A world of this test's own, deleted afterwards. */
  world: World;
}

/** Names in the options of `extend` that are none. */
type Misspelled<Given> = {
  [Name in keyof Options & keyof Given]: Given[Name] extends (...parts: any) => any
    ? never
    : Exclude<keyof Given[Name], keyof Options[Name]>;
}[keyof Options & keyof Given];
type Options = Pick<Fixtures, "serverOptions" | "worldOptions">;
/** What `extend` returns instead of a test for a misspelled option, so that the first use of the test is an error. */
interface NoTest<Name> {
  "there is no option": Name;
}

/** vitest's `test`; vitest's own `extend` takes options of any name. */
type WorldTest = {
  extend<Given extends object>(
    fixtures: [Misspelled<Given>] extends [never] ? never : Given,
  ): NoTest<Misspelled<Given>>;
} & TestAPI<Fixtures>;

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
}) as unknown as WorldTest;
/** The same as `test`. */
export const it = test;

expect.extend(matchers);
export { expect };
export { afterAll, afterEach, beforeAll, beforeEach, describe, vi } from "vitest";

declare module "vitest" {
  interface Matchers<T = any> extends WorldMatchers<Promise<void>> {}
}
