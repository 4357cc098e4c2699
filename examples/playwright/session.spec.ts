// Tests of a page whose requests have a session: the team's development server forwards the API's paths, here in a few lines.

import { readFileSync } from "node:fs";
import { createServer, request as plain } from "node:http";
import { request as secured } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, test } from "chatdouble/playwright";

const PAGE = `<!doctype html><p role="status"></p><script type="module">
  const me = await (await fetch("/json/users/me")).json();
  document.querySelector("p").textContent = me.full_name ?? me.code;
</script>`;
const forwarded = /^\/(json|api|accounts|login|join|user_uploads|user_avatars|avatar)\b/;
const isSecured = /^https:/i.test(process.env.CHATDOUBLE_URL ?? "");
const forward = isSecured ? secured : plain;
const ca = isSecured && process.env.CHATDOUBLE_TLS_CA ? readFileSync(process.env.CHATDOUBLE_TLS_CA) : undefined;

const pages = createServer((incoming, outgoing) => {
  if (!forwarded.test(incoming.url!)) return void outgoing.setHeader("Content-Type", "text/html").end(PAGE);
  // Host stays as it is, so that the server finds the world by its name.
  const { method, headers } = incoming;
  const sent = forward(new URL(incoming.url!, process.env.CHATDOUBLE_URL), { method, headers, ca }, (reply) => {
    outgoing.writeHead(reply.statusCode!, reply.rawHeaders);
    reply.pipe(outgoing);
  });
  incoming.pipe(sent.on("error", () => outgoing.destroy()));
});
test.beforeAll(() => new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve)));
test.afterAll(() => void pages.close());
test.skip(!process.env.CHATDOUBLE_URL, "the development server has to know the server's address: chatdouble exec");

for (const handle of ["mel", "max"])
  test(`${handle} logs in to a world of the test's own`, async ({ page, world }) => {
    const site = `http://${world.name}.localhost:${(pages.address() as AddressInfo).port}`;
    await page.goto(site);
    await expect(page.getByRole("status")).toHaveText("UNAUTHORIZED");
    const { email } = await world.user(handle);
    // The page makes the request: Node.js does not resolve the name, as `page.request` has to.
    const body = `username=${email}`;
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    await page.evaluate((init) => fetch("/api/v1/dev_fetch_api_key", init), { method: "POST", headers, body });
    await page.goto(site);
    await expect(page.getByRole("status")).toHaveText(new RegExp(handle, "i"));
    expect((await page.context().cookies()).map((cookie) => cookie.path)).toEqual(["/", "/"]);
    await expect(world).toHaveReceived({ path: "/users/me", user: handle, status: 200, exactly: 1 });
  });
