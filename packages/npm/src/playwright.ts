/** A world for each Playwright test. */

import { expect as baseExpect, test as base } from "@playwright/test";
import type { StartOptions } from "./start.js";
import type { EventPattern } from "./event-pattern.js";
import type { EventRecorder } from "./events.js";
import { end, toHaveEvent, toHaveNoFindings, toHavePushed, toHaveReceived, worldFor } from "./testing.js";
import type { Assertion, AwaitedPushes, FindingFilter, Waiting, WorldOptions } from "./types.js";
import type { World } from "./world.js";

/** The fixtures of tests, in addition to those of Playwright. */
export interface Fixtures {
  /** How the world is made; a fork of `default` unless a `fixture` is given. */
  worldOptions: WorldOptions;
  /** A world of this test's own, deleted afterwards. */
  world: World;
}

/** The fixtures of workers. */
export interface WorkerFixtures {
  /**
   * How the server is started; the first worker that needs one decides. Where CHATDOUBLE_URL names one, `clock`, `dialect`,
   * `featureLevel`, `fixture` and `seed` are those of the tests' worlds, `tls` is the server's own, and others are refused.
   */
  serverOptions: StartOptions;
}

/** `test` of Playwright with the fixture `world`. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  serverOptions: [{}, { option: true, scope: "worker" }],
  worldOptions: [{}, { option: true }],
  world: async ({ serverOptions, worldOptions }, use, info) => {
    const world = await worldFor(info.titlePath.join(" > "), worldOptions, serverOptions);
    await use(world);
    // Playwright has an error's name in its message, and not its code, which the beginning of what was expected tells.
    const failures = info.errors.map(({ message = "", stack = "" }) => ({
      message,
      stack,
      name: message.split(":", 1)[0]!,
      code: /^\w+: (Expected|no such event) /.test(message) ? "VERIFICATION_FAILED" : undefined,
    }));
    await end(world, info.status === info.expectedStatus ? null : failures, (text) => console.error(text));
  },
});

/** `expect` of Playwright with matchers for requests, pushes, events and the report. */
export const expect = baseExpect.extend({
  toHaveReceived(world: World, assertion: Assertion, waiting: Waiting = {}) {
    return toHaveReceived.call({ isNot: this.isNot }, world, assertion, waiting);
  },
  toHavePushed(world: World, wanted: AwaitedPushes = {}, waiting: Waiting = {}) {
    return toHavePushed.call({ isNot: this.isNot }, world, wanted, waiting);
  },
  toHaveEvent(recorder: EventRecorder, pattern: EventPattern, waiting: Waiting = {}) {
    return toHaveEvent.call({ isNot: this.isNot }, recorder, pattern, waiting);
  },
  toHaveNoFindings(world: World, filter: FindingFilter = {}) {
    return toHaveNoFindings(world, filter);
  },
});
