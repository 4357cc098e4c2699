/** A world for each vitest test. */

import { createRequire } from "node:module";
import { expect, test as base, type TestAPI, type TestContext } from "vitest";
import type { StartOptions } from "./start.js";
import { checkFixtures } from "./keys.js";
import { end, matchers, worldFor, type TestOptions, type WorldMatchers } from "./testing.js";
import type { WorldOptions } from "./types.js";
import { checkVitest } from "./vitest-version.js";
import type { World } from "./world.js";

checkVitest(versionOfVitest());

interface Fixtures {
  /**
   * How the tests' server is started: one for all tests with the same options. Where CHATDOUBLE_URL names one, `clock`, `dialect`,
   * `featureLevel`, `fixture` and `seed` are those of the tests' worlds, `tls` is the server's own, and others are refused.
   */
  serverOptions: StartOptions;
  /** How the world is made; a fork of `default` unless a `fixture` is given. */
  worldOptions: WorldOptions;
  /** A world of this test's own, deleted afterwards. */
  world: World;
}

type Options = Pick<Fixtures, "serverOptions" | "worldOptions">;
/** Names whose values are not those of an option. */
type Unfit<Given, Known> = {
  [Key in keyof Given & keyof Known]: Given[Key] extends Known[Key] ? never : Key;
}[keyof Given & keyof Known];
/** Names of options in `extend` whose values are not theirs. */
type Misvalued<Given> = {
  [Name in keyof Options & keyof Given]: Given[Name] extends readonly unknown[] | ((...parts: any) => any)
    ? never
    : Unfit<Given[Name], Options[Name]>;
}[keyof Options & keyof Given];
/** Names in `extend` that are no options, and those that are like `worldOptions` itself. */
type Misspelled<Given> =
  | {
      [Name in keyof Options & keyof Given]: Given[Name] extends readonly unknown[] | ((...parts: any) => any)
        ? never
        : Exclude<keyof Given[Name], keyof Options[Name]>;
    }[keyof Options & keyof Given]
  | Exclude<keyof Given & `${"world" | "server"}${"" | "s" | "_"}${"o" | "O"}p${string}`, keyof Options>;
/** What `extend` returns instead of a test for such an option, so that the first use of the test is an error. */
interface NoSuchOption<Name> {
  "there is no option of this name": Name;
}
/** The same for an option with a value of another type. */
interface NoSuchValue<Name> {
  "the value of this option has another type": Name;
}

type Provider<Own, Name extends keyof Own, Known> = (
  context: Omit<Own, Name> & Known,
  use: (value: Own[Name]) => Promise<void>,
) => Promise<void>;
/** What vitest takes for a fixture, of which it exports no type: its value, or a function that gives it. */
type Provided<Own, Name extends keyof Own, Known> = ((...parts: any) => any) extends Own[Name]
  ? Own[Name] extends any
    ? Provider<Own, Name, Omit<Known, Exclude<keyof Own, Name>>>
    : never
  : Own[Name] | (Own[Name] extends any ? Provider<Own, Name, Omit<Known, Exclude<keyof Own, Name>>> : never);
/** How vitest takes it. */
interface Provision {
  auto?: boolean;
  injected?: boolean;
  scope?: "test" | "file" | "worker";
}
type FurtherFixtures<Own, Known> = {
  [Name in keyof Own]:
    Provided<Own, Name, Known & TestContext> | [Provided<Own, Name, Known & TestContext>, Provision?];
};
/** The fixtures of a test, with further ones. */
type With<Known, Own> = {
  [Name in keyof Own | keyof Known]: Name extends keyof Own
    ? Own[Name]
    : Name extends keyof Known
      ? Known[Name]
      : never;
};

/** vitest's `test`; vitest's own `extend` takes options of any name. */
export type WorldTest<Known = Fixtures> = {
  /** The same for tests whose worlds or server are made in another way. */
  extend(options: TestOptions): WorldTest<Known>;
  extend<Given extends object>(
    fixtures: [Misspelled<Given> | Misvalued<Given>] extends [never] ? never : Given,
  ): [Misspelled<Given>] extends [never] ? NoSuchValue<Misvalued<Given>> : NoSuchOption<Misspelled<Given>>;
  /** The same with fixtures of one's own. */
  extend<Own extends Record<string, any> = object>(fixtures: FurtherFixtures<Own, Known>): WorldTest<With<Known, Own>>;
} & TestAPI<Known>;

/** The version of vitest, if its package says so where this one is. */
function versionOfVitest(): unknown {
  try {
    return createRequire(import.meta.url)("vitest/package.json").version;
  } catch {
    return undefined;
  }
}

/** A test whose ways to take further fixtures refuse misspelled options. */
function checked<Test extends object>(test: Test): Test {
  for (const way of ["extend", "override", "scoped"]) {
    const take = (test as any)[way];
    if (typeof take !== "function") continue;
    (test as any)[way] = (...given: unknown[]) => {
      // A fixture by its name is followed by its value.
      checkFixtures(way, typeof given[0] === "string" ? { [given[0]]: given.at(-1) } : given[0]);
      const taken = take.apply(test, given);
      return way === "extend" ? checked(taken) : taken;
    };
  }
  return test;
}

/** `test` of vitest with the fixture `world`. */
export const test = checked(
  base.extend<Fixtures>({
    serverOptions: {},
    worldOptions: {},
    world: async ({ task, serverOptions, worldOptions }, use) => {
      const names = [task.name];
      for (let suite = task.suite; suite?.name; suite = suite.suite) names.unshift(suite.name);
      const world = await worldFor(names.join(" > "), worldOptions, serverOptions);
      await use(world);
      const failures = task.result?.state === "fail" ? (task.result.errors ?? []) : null;
      await end(world, failures, (text) => console.error(text));
    },
  }),
) as unknown as WorldTest;
/** The same as `test`. */
export const it = test;

expect.extend(matchers);
export { expect };
export { afterAll, afterEach, beforeAll, beforeEach, describe, vi } from "vitest";

declare module "vitest" {
  interface Matchers<T = any> extends WorldMatchers<Promise<void>, T> {}
}
