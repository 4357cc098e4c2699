// What the compiler refuses: exactly the lines that say so.

import { connect, startServer, type Assertion, type FaultRule } from "chatdouble";
import { expect, test } from "chatdouble/vitest";
import { expect as jestExpect, test as jestTest } from "chatdouble/jest";
import { test as nodeTest } from "chatdouble/node-test";
import { defineConfig } from "@playwright/test";
import { expect as pageExpect, test as pageTest, type Fixtures, type WorkerFixtures } from "chatdouble/playwright";

defineConfig<Fixtures, WorkerFixtures>({ use: { serverOptions: { tsl: true } } }); // refused
await startServer({ colour: 1 }); // refused
await startServer({ dialectt: "zulip" }); // refused
await startServer({ featureLevel: "300" }); // refused
connect(undefined, { controlTokn: "secret" }); // refused
const server = await startServer();
await server.createWorld({ fixtur: "cast" }); // refused
await server.worlds({ prefx: "a" }); // refused
(await server.worlds())[0]!.user; // refused
(await server.health()).level; // refused
const world = await server.createWorld();
await world.fork({ featureLevl: 250 }); // refused
await world.reset({ keep: ["clock"] }); // refused
const text: string = (await world.user("mel")).id; // refused
(await world.user("mel")).key; // refused
(await world.clock.advance(1)).fird; // refused
await world.clock.advance(1, { waitMs: 1 }); // refused
const [entry] = await world.journal.entries();
entry!.nope; // refused
await world.journal.entries({ statuss: 400 }); // refused
await world.journal.verify({ exacly: 1 }); // refused
await world.journal.waitFor({ path: "/x" }, { timeout: 1 }); // refused
const once: Assertion = { exactly: "1" }; // refused
await world.faults.add({ effect: { drop: "aftr" } }); // refused
await world.faults.add({ effect: { delay: 5 } }); // refused
await world.faults.add({ effect: { drop: "after", garbage: true } }); // refused
await world.faults.add({ effect: { garbage: true, retries: true } }); // refused
await world.faults.add({ effect: { garbage: true }, match: { pth: "/messages" } }); // refused
const rule: FaultRule = { effect: { garbage: true }, time: 1 }; // refused
(await world.faults.list())[0]!.firedd; // refused
(await world.queues.list())[0]!.park; // refused
await world.queues.waitParked({ usr: "mel" }); // refused
(await world.pushes.list())[0]!.device; // refused
await world.pushes.waitFor({ device: 1 }); // refused
(await world.snapshots.list())[0]!.nam; // refused
(await world.invariants()).broken; // refused
for await (const frame of world.watch()) {
  frame.status; // refused
  if (frame.type === "request") frame.statuss; // refused
  if (frame.type === "evnt") frame.at; // refused
}
const own = test.extend({ worldOptions: { fixtur: "cast" } });
own("a misspelled option", () => {}); // refused
const mixed = test.extend({ worldOptions: { fixture: "cast", featureLevl: 250 } });
mixed("one of two", () => {}); // refused
const served = test.extend({ serverOptions: { dialectt: "zulip" } });
served("of the server", () => {}); // refused
const valued = test.extend({ worldOptions: { featureLevel: "100" } });
valued("a value of another type", () => {}); // refused
test.extend("worldOptions", { dialekt: "zulip" }); // refused
test.extend("worldOptions", { featureLevel: "100" }); // refused
test.override({ worldOptions: { dialekt: "zulip" } }); // refused
const named = test.extend({ worldOption: { fixture: "cast" } });
named("a misspelled name", () => {}); // refused
const both = test.extend({ server_options: { tls: true }, client: "x" });
both("next to a fixture", () => {}); // refused
const typed = test.extend<{ client: string }>({ client: "x", worldOptions: { fixture: 5 } }); // refused
const mine = test.extend({ worldOptions: { dialect: "zulip" } }).extend<{ n: number }>({ n: 1 });
const mistaken = mine.extend({ worldOptions: { featurLevel: 250 } });
mistaken("after a fixture of one's own", async ({ n }) => void n); // refused
const late = mine.extend({ client: async ({ n }, use: (text: string) => Promise<void>) => use(`${n}`) });
const later = late.extend({ worldOption: { featureLevel: 250 } });
later("after two", () => {}); // refused
test("an assertion", async ({ world }) => {
  await expect(world).toHaveReceived({ pth: "/messages" }); // refused
});
test("events and pushes", async ({ world }) => {
  await expect(world).toHaveNoFindings({ except: ["register-everythin"] }); // refused
  await expect(world).toHaveNoFindings({ severity: "warn" }); // refused
  await expect(world).toHavePushed({ usr: "mel" }); // refused
  await expect(world).toHaveEvent({ type: "message" }, { timeout: 1 }); // refused
  const recorder = await world.recordEvents();
  await expect(recorder).toHaveEvent({ typ: "message" }); // refused
  await expect(recorder).toHaveEvent({ type: "mesage" }); // refused
  await expect(recorder).not.toHaveEvent({ type: "message", mesage: { content: "Hello" } }); // refused
  await expect(recorder).not.toHaveEvent({ type: "message", message: { sender_emial: "mel@chat.test" } }); // refused
  await expect(recorder).not.toHaveEvent({ type: "message", message: "Hello" }); // refused
  await recorder.waitFor({ type: "reaction", emoji: "smile" }); // refused
  await recorder.waitFor({ type: "message", flags: [] }); // refused
  await expect(recorder).not.toHaveEvent({ type: "message", flags: ["mentioned"] }); // refused
  await expect(recorder).not.toHaveEvent({ type: "update_message", flags: ["mentioned"] }); // refused
  await jestExpect(recorder).not.toHaveEvent({ type: "message", flags: ["mentioned"] }); // refused
  await world.recordEvents({}); // refused
  await world.recordEvents({ usr: "mel" }); // refused
  await world.recordEvents({ user: "mel", register: { event_typse: [] } }); // refused
  const own = await world.recordEvents({ user: "mel" });
  await expect(own).toHaveEvent({ type: "message", flag: [] }); // refused
  await expect(own).not.toHaveEvent({ type: "message", flags: "mentioned" }); // refused
  await expect(own).not.toHaveEvent({ type: "message", message: { id: String(1) } }); // refused
  await expect(own).not.toHaveEvent({ type: "message", message: { subject: 5 } }); // refused
  await expect(own).not.toHaveEvent({ type: "message", message: { timestamp: new Date() } }); // refused
  await expect(own).not.toHaveEvent({ type: "reaction", message_id: "7" }); // refused
  await expect(own).not.toHaveEvent({ type: "reaction", message_id: /7/ }); // refused
  await expect(own).not.toHaveEvent({ type: "reaction", op: "added" }); // refused
  await expect(own).not.toHaveEvent({ type: "message", message: { type: "channel" } }); // refused
  await expect(own).not.toHaveEvent({ type: "message", message: { reactions: [{ reaction_type: "emoji" }] } }); // refused
  await expect(own).not.toHaveEvent({ type: "realm_user", person: { role: 150 } }); // refused
  await expect(own).not.toHaveEvent({ type: "drafts", drafts: [{ type: "dm" }] }); // refused
  await expect(own).not.toHaveEvent({ type: "user_topic", visibility_policy: 4 }); // refused
  await expect(own).not.toHaveEvent({ type: "stream", property: "topic_policy" }); // refused
  await expect(own).not.toHaveEvent({ type: "presence", presence: { website: { status: "away" } } }); // refused
  await recorder.waitFor({ type: "update_message_flags", messages: ["7"] }); // refused
});
test("what a matcher takes", async ({ world }) => {
  const recorder = await world.recordEvents();
  await expect(world).toHaveEvent({ type: "message" }); // refused
  await expect(world).not.toHaveEvent({ type: "message" }); // refused
  await expect(world.recordEvents()).toHaveEvent({ type: "message" }); // refused
  await expect(recorder).toHavePushed(); // refused
  await expect(recorder).toHaveReceived({ path: "/messages" }); // refused
  await expect(recorder).toHaveNoFindings(); // refused
  await expect(world.url).toHaveNoFindings(); // refused
  await jestExpect(world).toHaveEvent({ type: "message" }); // refused
  await jestExpect(recorder).toHavePushed(); // refused
  await pageExpect(world).toHaveEvent({ type: "message" }); // refused
  await pageExpect(recorder).toHavePushed(); // refused
});
jestTest.extend({ worldOptions: { fixtur: "cast" } }); // refused
jestTest.extend({ worldOption: {} }); // refused
nodeTest.extend({ serverOptions: { dialectt: "zulip" } }); // refused
pageTest.use({ worldOptions: { fixtur: "cast" } }); // refused
pageTest.use({ serverOptions: { dialectt: "zulip" } }); // refused
void [text, once, rule, typed];
