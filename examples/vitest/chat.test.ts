// Tests that a team may have for its client: here the client is `fetch`.

import { expect, test } from "chatdouble/vitest";
import type { User, World } from "chatdouble";

async function call(world: World, user: User, method: string, path: string, params: Record<string, string> = {}) {
  const authorization = `Basic ${btoa(`${user.email}:${user.apiKey}`)}`;
  const form = new URLSearchParams(params);
  const url = `${world.url}/api/v1${path}${method === "GET" ? `?${form}` : ""}`;
  const reply = await fetch(url, { method, headers: { authorization }, body: method === "GET" ? null : form });
  return reply.json();
}

const message = (content: string) => ({ type: "stream", to: "general", topic: "greetings", content });

test("a message arrives in the client that waits for it", async ({ world }) => {
  const [mel, max] = [await world.user("mel"), await world.user("max")];
  const { queue_id } = await call(world, max, "POST", "/register", { event_types: '["message"]' });
  const polled = call(world, max, "GET", "/events", { queue_id, last_event_id: "-1" });
  await world.queues.waitParked({ user: "max" });
  await call(world, mel, "POST", "/messages", message("Hello"));
  expect((await polled).events[0].message.content).toContain("Hello");
  await expect(world).toHaveReceived({ method: "POST", path: "/messages", user: "mel", exactly: 1 });
});

test("a reminder comes tomorrow", async ({ world }) => {
  const mel = await world.user("mel");
  const { id } = await call(world, mel, "POST", "/messages", message("Plan"));
  const due = String(Math.floor(await world.clock.now()) + 86_400);
  await call(world, mel, "POST", "/reminders", { message_id: String(id), scheduled_delivery_timestamp: due });
  const { fired } = await world.clock.advance("1d");
  expect(fired.map((item) => item.kind)).toContain("reminder");
});

test("a rate limit is shown, and ends after its time", async ({ world }) => {
  const mel = await world.user("mel");
  await world.faults.add({ match: { path: "/messages" }, times: 1, effect: { rateLimit: { retryAfter: 2 } } });
  const refused = await call(world, mel, "POST", "/messages", message("x"));
  expect(refused).toMatchObject({ code: "RATE_LIMIT_HIT", "retry-after": 2 });
  expect((await call(world, mel, "POST", "/messages", message("x"))).result).toBe("success");
});

const quiet = test.extend({ worldOptions: { fixture: "cast", featureLevel: 250, dialect: "zulip" } });
quiet("a server of an older level, with nothing pending", async ({ world }) => {
  expect(await world.clock.agenda()).toEqual([]);
  const settings = await (await fetch(`${world.url}/api/v1/server_settings`)).json();
  expect(settings.zulip_feature_level).toBe(250);
});
