/** The versions of vitest that the fixtures need. */

import { ChatdoubleError } from "./error.js";

/** The first version in which `test.extend` replaces the values of fixtures that others are made of. */
const NEEDED = [4, 1] as const;

/** Throws for a version that is too old, such as `3.2.4`; not for a text that is no version. */
export function checkVitest(version: unknown): void {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(String(version)) ?? [];
  if (major === undefined) return;
  const later = Number(major) - NEEDED[0] || Number(minor) - NEEDED[1];
  if (later >= 0) return;
  throw new ChatdoubleError(
    `chatdouble/vitest needs vitest ${NEEDED.join(".")} or later, and this is ${version}: ` +
      "it would ignore worldOptions and serverOptions in test.extend",
  );
}
