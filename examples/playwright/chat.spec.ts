// Tests that a team may have for its page: here a form and a list, served as by the team's development server.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "chatdouble/playwright";
import type { World } from "chatdouble";
import type { Page } from "@playwright/test";

const pages = createServer((_, response) => {
  response.setHeader("Content-Type", "text/html").end(readFileSync(new URL("page.html", import.meta.url)));
});
test.beforeAll(() => new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve)));
test.afterAll(() => void pages.close());

/** Opens the page for a user, and waits until it polls. */
async function open(page: Page, world: World, handle: string) {
  const user = await world.user(handle);
  const parameters = new URLSearchParams({ site: world.url, email: user.email, key: user.apiKey });
  await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/#${parameters}`);
  await world.queues.waitParked({ user: handle });
}

test("a message reaches the other user's page", async ({ page, context, world }) => {
  const other = await context.newPage();
  await open(page, world, "mel");
  await open(other, world, "max");
  await page.getByLabel("Message").fill("Hello");
  await page.getByRole("button").click();
  await expect(other.getByRole("listitem")).toHaveText("Hello");
  await expect(world).toHaveReceived({ method: "POST", path: "/messages", user: "mel", exactly: 1 });
});

test("a lost reply is shown, and the repeated request counts once", async ({ page, world }) => {
  await open(page, world, "mel");
  await world.faults.add({
    match: { method: "POST", path: "/messages" },
    times: 1,
    effect: { drop: "after", retries: true },
  });
  await page.getByLabel("Message").fill("once");
  await page.getByRole("button").click();
  await expect(page.getByRole("status")).toHaveText("not sure");
  await expect(page.getByRole("listitem")).toHaveText("once");
});

test("a reply that breaks off is shown, and the request was made once", async ({ page, world }) => {
  await open(page, world, "mel");
  await world.faults.add({ match: { method: "POST", path: "/messages" }, times: 1, effect: { truncateAt: 0 } });
  await page.getByLabel("Message").fill("once");
  await page.getByRole("button").click();
  await expect(page.getByRole("status")).toHaveText("not sure");
  await expect(world).toHaveReceived({ method: "POST", path: "/messages", exactly: 1 });
});

test("it registers again after an hour offline", async ({ page, world }) => {
  await open(page, world, "mel");
  await world.network.set({ user: "mel", profile: "offline" });
  await world.clock.advance("1h");
  await world.network.clear();
  await expect(world).toHaveReceived(
    { method: "POST", path: "/register", user: "mel", atLeast: 2 },
    { timeoutMs: 10_000 },
  );
});

test.describe("a server of an older level", () => {
  test.use({ worldOptions: { fixture: "cast", featureLevel: 250, dialect: "zulip" } });

  test("is understood", async ({ request, world }) => {
    const settings = await (await request.get(`${world.url}/api/v1/server_settings`)).json();
    expect(settings.zulip_feature_level).toBe(250);
  });
});
