/** A world for each test of Bun's runner. */

import { expect, test as base } from "bun:test";
import { matchBy } from "./event-values.js";
import { extended, inWorld, matchers, type TestOptions, type WorldMatchers } from "./testing.js";
import type { World } from "./world.js";

export type { TestOptions } from "./testing.js";

/** The body of a test, with its world. */
export type Body = (fixtures: { world: World }) => unknown;

/** `test` of Bun, whose body gets a world of its own, deleted afterwards. */
export interface WorldTest {
  (name: string, body: Body, timeoutMs?: number): void;
  only(name: string, body: Body, timeoutMs?: number): void;
  skip(name: string, body?: Body): void;
  todo(name: string): void;
  /** The same for tests whose worlds or server are made in another way. */
  extend(options: TestOptions): WorldTest;
}

function made(options: TestOptions): WorldTest {
  const run = (name: string, body: Body) => async () => {
    await inWorld(name, options, (world) => body({ world }));
  };
  const test = (name: string, body: Body, timeoutMs?: number) => base(name, run(name, body), timeoutMs);
  return Object.assign(test, {
    only: (name: string, body: Body, timeoutMs?: number) => base.only(name, run(name, body), timeoutMs),
    skip: (name: string) => base.skip(name, () => {}),
    todo: (name: string) => base.todo(name),
    extend: (more: TestOptions) => made(extended(options, more)),
  });
}

export const test: WorldTest = made({});
/** The same as `test`. */
export const it: WorldTest = test;

matchBy((value, matcher) => {
  try {
    expect(value).toEqual(matcher as never);
    return true;
  } catch {
    return false;
  }
});
expect.extend(matchers as never);
export { expect };
export { afterAll, afterEach, beforeAll, beforeEach, describe, mock } from "bun:test";

declare module "bun:test" {
  interface Matchers<T = unknown> extends WorldMatchers<Promise<void>, T> {}
}
