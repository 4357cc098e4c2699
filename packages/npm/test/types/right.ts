// What the compiler accepts of the helpers.

import {
  ChatdoubleError,
  connect,
  startServer,
  type Assertion,
  type Effect,
  type EventPattern,
  type EventRecorder,
  type FaultRule,
  type StartOptions,
  type WorldEventPattern,
  type WorldOptions,
} from "chatdouble";
import required = require("chatdouble");
import { expect, test } from "chatdouble/vitest";
import { test as jestTest, expect as jestExpect } from "chatdouble/jest";
import nodeDefault, { assertNoFindings, test as nodeTest } from "chatdouble/node-test";
import { defineConfig } from "@playwright/test";
import { expect as pageExpect, test as pageTest, type Fixtures, type WorkerFixtures } from "chatdouble/playwright";

defineConfig<Fixtures, WorkerFixtures>({
  workers: 2,
  use: {
    serverOptions: { tls: true },
    worldOptions: { dialect: "zulip" },
    ignoreHTTPSErrors: true,
    launchOptions: { executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] },
  },
});
const serve: StartOptions = { clock: new Date(), dialect: "zulip", fixture: "./team.json", tlsName: ["a"], log: "off" };
const server = await startServer(serve);
const options: WorldOptions = { fixture: { users: [] }, idleTtlSeconds: "10m", clock: "2026-01-01T00:00:00Z" };
const world = await server.createWorld(options);
const id: number = (await world.user("mel")).id;
const fault = await world.faults.add({ match: { path: "/messages", params: { to: "x" } }, effect: { drop: "after" } });
await world.faults.add({ effect: { error: { status: 503, code: "BUSY", msg: "Later", retry_at: 5 } } });
const one: Effect = { truncateAt: 0 };
await world.faults.add({ effect: { drop: "after", retries: true } });
await world.faults.add({ effect: one });
await fault.remove();
const once: Assertion = { path: "/messages", user: "mel", exactly: 1 };
const count: number = await world.journal.verify(once);
await world.journal.waitFor({ path: "/messages" }, { timeoutMs: 100 });
await world.queues.waitParked({ user: "mel", count: 2, timeoutMs: 100 });
const status: number = (await world.journal.entries({ limit: 1 }))[0]!.status;
const reminder: number | undefined = (await world.clock.advance("1d")).fired[0]?.reminderId;
const queue: string = (await world.queues.list())[0]!.queue_id;
const level: number = (await connect().health()).featureLevel;
await world.reset({ keep: ["faults"] });
for await (const frame of world.watch()) {
  if (frame.type === "event") frame.event.type;
  if (frame.type === "request") frame.status.toFixed();
  if (frame.type === "rate_limit") frame.rateLimits[0]?.requests.toFixed();
}
new ChatdoubleError("x").status.toFixed();

const limited: FaultRule = { effect: { rateLimit: { retryAfter: "1m30s" } } };
const own = test.extend({ worldOptions: { fixture: "cast", featureLevel: 250 }, serverOptions: { tls: true } });
own("a world of another kind", async ({ world }) => {
  await expect(world).toHaveReceived({ path: "/messages" }, { timeoutMs: 10 });
  await using recorder = await world.recordEvents();
  await expect(recorder).toHaveEvent({ type: "message", message: { content: "Hello" } }, { timeoutMs: 10 });
  await expect(recorder).not.toHaveEvent({ type: "message", message: { subject: "t", reactions: [] } });
  const own: EventRecorder = await world.recordEvents({ user: await world.user("mel") });
  await expect(own).not.toHaveEvent({ type: "message", flags: ["read"], message: { content: "<p>Hello</p>" } });
  await using typed = await world.recordEvents({
    user: "mel",
    register: { event_types: ["message"], client_capabilities: { bulk_message_deletion: true } },
  });
  await typed.waitFor({ type: "message", flags: [] });
  await recorder.waitFor({ type: "reaction", op: "add", emoji_name: "smile", user_id: 3 }, { timeoutMs: 10 });
  const secret = expect.stringContaining("secret");
  await expect(recorder).not.toHaveEvent({
    type: "message",
    message: { content: secret, subject: /t/, stream_id: null },
  });
  await expect(own).toHaveEvent({ type: "message", flags: expect.arrayContaining(["read"]), message: { id: 7 } });
  await expect(world).toHaveReceived({ path: "/messages", user: await world.user("mel") });
  await expect(own).toHaveEvent({ type: "reaction", op: "add", message_id: expect.any(Number) });
  const ofJest = { content: jestExpect.stringContaining("x"), id: jestExpect.any(Number) };
  await jestExpect(recorder).not.toHaveEvent({ type: "message", message: ofJest });
  const ofPage = { content: pageExpect.stringContaining("x"), id: pageExpect.any(Number) };
  await pageExpect(recorder).not.toHaveEvent({ type: "message", message: ofPage });
  await pageExpect(recorder).toHaveEvent({ type: "message", message: pageExpect.objectContaining({ subject: "t" }) });
  const restarted: WorldEventPattern = { type: "restart", immediate: true };
  const changed: WorldEventPattern = { type: "realm", op: "update_dict", data: { name: "x" } };
  for (const type of ["stream", "subscription"] as const) await recorder.waitFor({ type, op: "update" });
  await recorder.waitFor(Math.random() > 0.5 ? restarted : changed);
  await expect(world).toHavePushed({ user: "mel", atLeast: 2 });
  await expect(world as any).toHaveEvent({ type: "message" });
  await expect(world.recordEvents()).resolves.not.toHaveEvent({ type: "message" });
  await expect(Math.random() > 0.5 ? recorder : own).toHaveEvent({ type: "message" });
  await expect.soft(world).not.toHavePushed();
  const loaded = await required.connect().createWorld();
  await expect(loaded).toHaveReceived({ path: "/messages" });
  await expect(await loaded.recordEvents()).toHaveEvent({ type: "message" });
  const ofOne: EventPattern = { type: "message", flags: ["mentioned"] };
  await expect(own).toHaveEvent(ofOne);
  const either = { type: "message", message: { content: "Hello" } } as const;
  await expect(own).toHaveEvent(either);
  await expect(recorder).toHaveEvent(either);
  await expect(recorder).toHaveEvent(restarted);
});
const client = test.extend<{ client: string; worldOptions: WorldOptions }>({
  worldOptions: { dialect: "zulip" },
  client: async ({ world }, use) => use(world.url),
});
client.concurrent("a fixture of my own", async ({ client, world }) => client.concat(world.url));
const inferred = test.extend({ client: async ({ world }, use: (url: string) => Promise<void>) => use(world.url) });
inferred("its type is known", ({ client }) => client.concat(""));
const likely = test.extend({ worldName: "x", serverUrl: "y", worldOptions: { clock: "real" } });
likely("names that only begin alike", ({ worldName, serverUrl }) => worldName + serverUrl);
const twice = test.extend({ worldOptions: { fixture: "cast" } }).extend({ serverOptions: { tls: true } });
twice("extended twice", async ({ world }) => void world);
test.only("a test", { timeout: 10 }, async ({ world }) => void world);
const named = test.extend("answer", () => 42);
named("built by name", ({ answer }) => answer.toFixed());
pageTest.use({ worldOptions: { fixture: "cast" } });
pageTest("a page", async ({ page, world }) => {
  await page.goto(world.url);
  await pageExpect(world).toHaveReceived({ path: "/messages" });
});
const chained = pageTest.extend<{ client: string }>({ client: async ({ world }, use) => use(world.url) });
chained.use({ worldOptions: { dialect: "zulip" } });
jestTest.extend({ worldOptions: { fixture: "cast" } })("in Jest", async ({ world }) => {
  await jestExpect(world).toHaveReceived({ path: "/messages" });
  await jestExpect(await world.recordEvents({ user: "mel" })).toHaveEvent({ type: "message", flags: ["read"] });
});
nodeDefault.only("by the default export", ({ world }) => void world.url);
nodeTest("in time", { timeout: 500, skip: "later" }, async ({ world }) => void (await world.clock.now()));
nodeTest("in Node's runner", async ({ world, context }) => {
  context.diagnostic(world.url);
  await assertNoFindings(world, { severity: "error" });
});
void [limited, id, count, status, reminder, queue, level];

const built = test.extend("worldOptions", { dialect: "zulip", featureLevel: 250 });
built("a fixture by its name", ({ world }) => void world.url);
test.extend({ worldOptions: { featureLevel: 250, clock: "frozen", fixture: { users: [] } } })(
  "values",
  ({ world }) => void world.url,
);
const mine = test
  .extend({ worldOptions: { dialect: "zulip" } })
  .extend<{ n: number }>({ n: async ({ world }, use) => use(world.url.length) });
const further = mine
  .extend({ worldOptions: { featureLevel: 250 } })
  .extend({ text: async ({ n }, use: (text: string) => Promise<void>) => use(`${n}`) });
further(
  "fixtures of one's own, and options after them",
  ({ n, text, world }) => void [n.toFixed(), text.concat(world.url)],
);
further.skip("the rest of vitest's test", ({ n }) => n.toFixed());
further.extend("more", 5)("by its name", ({ n, more }) => n + more);
const scoped = test.extend<{ $file: { client: string } }>({ client: [async ({}, use) => use(""), { scope: "file" }] });
scoped("of a file", ({ client, world }) => client.concat(world.url));
