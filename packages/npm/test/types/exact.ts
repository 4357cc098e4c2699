// What the compiler refuses with exactOptionalPropertyTypes and noUncheckedIndexedAccess: exactly the lines that say so.

import { connect } from "chatdouble";
import { expect, test } from "chatdouble/vitest";

const who: Record<string, string> = {};
test("keys that are there without a value", async ({ world }) => {
  await expect(world).toHaveReceived({ path: "/messages", exactly: undefined }); // refused
  await expect(world).toHaveReceived({ path: "/messages", user: who["max"] }); // refused
  await expect(world).toHaveReceived({ path: "/messages", params: { topic: undefined } }); // refused
  await expect(world).toHavePushed({ user: undefined }); // refused
  await expect(world).toHaveNoFindings({ severity: undefined }); // refused
  await expect(await world.recordEvents()).toHaveEvent({ type: "message", message: { subject: undefined } }); // refused
  await world.faults.add({ match: { path: undefined }, effect: { garbage: true } }); // refused
  await world.faults.add({ match: undefined, effect: { garbage: true } }); // refused
  await world.network.set({ user: undefined }); // refused
  await world.rateLimit.clear({ user: undefined }); // refused
  await world.journal.entries({ user: undefined }); // refused
  await world.pushes.list({ since: undefined }); // refused
  await world.queues.waitParked({ user: undefined }); // refused
  await connect().worlds({ prefix: undefined }); // refused
});
