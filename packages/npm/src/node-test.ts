/** A world for each test of Node's own runner. */

import { test as base, type TestContext } from "node:test";
import { extended, inWorld, toHaveNoFindings, type TestOptions } from "./testing.js";
import type { FindingFilter } from "./types.js";
import type { World } from "./world.js";

export type { TestOptions } from "./testing.js";

/** The body of a test: its world, and the context of `node:test`. */
export type Body = (fixtures: { world: World; context: TestContext }) => void | Promise<void>;

/** What `node:test` takes between the name and the body of a test. */
export interface RunnerOptions {
  /** After this time, in milliseconds, the test fails. */
  timeout?: number;
  /** How many tests run at the same time. */
  concurrency?: number | boolean;
  /** Ends the test. */
  signal?: AbortSignal;
  /** Whether only such tests run, with `--test-only`. */
  only?: boolean;
  /** Whether the test is left out, or why. */
  skip?: boolean | string;
  /** Whether the test may fail, or why. */
  todo?: boolean | string;
}

/** `test` of `node:test`, whose body gets a world of its own, deleted afterwards. */
export interface WorldTest {
  (name: string, body: Body): void;
  (name: string, options: RunnerOptions, body: Body): void;
  only(name: string, body: Body): void;
  skip(name: string, body?: Body): void;
  todo(name: string, body?: Body): void;
  /** The same for tests whose worlds or server are made in another way. */
  extend(options: TestOptions): WorldTest;
}

function made(options: TestOptions): WorldTest {
  const run = (name: string, body: Body) => (context: TestContext) =>
    inWorld(name, options, async (world) => void (await body({ world, context })));
  function test(name: string, ...rest: [Body] | [RunnerOptions, Body]): void {
    const [runner, body] = rest.length === 2 ? rest : [{}, rest[0]];
    void base(name, runner, run(name, body));
  }
  return Object.assign(test, {
    only: (name: string, body: Body) => void base.only(name, run(name, body)),
    skip: (name: string) => void base.skip(name),
    todo: (name: string) => void base.todo(name),
    extend: (more: TestOptions) => made(extended(options, more)),
  });
}

export const test: WorldTest = made({});
/** The same as `test`. */
export const it: WorldTest = test;
/** The same as `test`, as in `node:test`. */
export default test;

/** Asserts that no client of the world broke a rule of the report until now. */
export async function assertNoFindings(world: World, filter: FindingFilter = {}): Promise<void> {
  const { pass, message } = await toHaveNoFindings(world, filter);
  if (!pass) throw new Error(message());
}
