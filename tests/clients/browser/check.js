"use strict";

// Calls a server from a web page of another origin, in a real browser.
//
// Takes the server's base URL. With `--expect refused` the browser must keep the replies from the page, otherwise
// hand them over. Prints a line `ok - …` for each check; ends at the first that fails with `not ok - …` and exit status 1.

const assert = require("node:assert/strict");
const crypto = require("node:crypto");
const tls = require("node:tls");
const { parseArgs } = require("node:util");
const { launch, servePage } = require("./browser");

const LONGEST_CHECK_MS = 120_000;

const { values, positionals } = parseArgs({
  options: {
    browser: { type: "string", default: "/usr/bin/chromium" },
    "page-port": { type: "string", default: "0" },
    expect: { type: "string", default: "allowed" },
  },
  allowPositionals: true,
});
const server = positionals[0].replace(/\/$/, "");

const MAX = "max@chat.test:maxKey00000000000000000000000000";
const MEL = "mel@chat.test:melKey00000000000000000000000000";

/** Retries a check: the browser reports the requests that it makes by itself a little later. */
async function eventually(holds) {
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      return holds();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Sends a message as another user, without the browser. */
async function sendAsMel(to, content) {
  const body = new URLSearchParams({ type: "direct", to: JSON.stringify([to]), content });
  const headers = { Authorization: `Basic ${Buffer.from(MEL).toString("base64")}` };
  const reply = await (await fetch(`${server}/api/v1/messages`, { method: "POST", headers, body })).json();
  assert.equal(reply.result, "success", JSON.stringify(reply));
}

/** The checks of a server that allows the page's origin. */
function allowedChecks({ call, page, preflights, protocols }) {
  let queue;
  return {
    async "read the server settings"() {
      const { body } = await call("/server_settings");
      assert.equal(body.result, "success");
      assert.equal(body.realm_name, "Chatdouble");
      assert.equal(body.realm_uri, server);
    },
    async "call with credentials, after a preflight"() {
      const { body } = await call("/users/me", { key: MAX });
      assert.equal(body.email, "max@chat.test");
      // A plain GET, as that of the settings before, needs none.
      await eventually(() => assert.deepEqual(preflights, ["OPTIONS /api/v1/users/me"]));
    },
    async "speak HTTP/2 where there is TLS"() {
      const expected = server.startsWith("https:") ? "h2" : "http/1.1";
      await eventually(() => assert.deepEqual([...protocols], [expected]));
    },
    async "see why a call failed"() {
      const { status, body } = await call("/users/me", { key: "max@chat.test:wrong" });
      assert.equal(status, 401);
      assert.ok(["UNAUTHORIZED", "INVALID_API_KEY"].includes(body.code), JSON.stringify(body));
      const misspelt = await call("/mesages", { key: MAX });
      assert.equal(misspelt.status, 404);
      assert.ok(misspelt.headers["x-chatdouble-hint"], JSON.stringify(misspelt));
    },
    async "get a refusal on the server's own origin without the browser's login dialog"() {
      const context = await page.context().browser().newContext();
      const own = await context.newPage();
      await own.goto(`${server}/console`);
      const status = await own.evaluate(async () => {
        const headers = { Authorization: `Basic ${btoa("max@chat.test:wrong")}` };
        const replies = [];
        for (const options of [{ credentials: "omit" }, { headers, credentials: "omit" }]) {
          const response = await fetch("/api/v1/users/me", options);
          replies.push(response.status, response.headers.get("www-authenticate").split(" ")[0]);
        }
        return replies;
      });
      assert.deepEqual(status, [401, "Basic", 401, "Basic"]);
      await context.close();
    },
    async "register and receive what others send"() {
      const params = { event_types: '["message"]' };
      const { body } = await call("/register", { method: "POST", key: MAX, params });
      assert.equal(body.result, "success", JSON.stringify(body));
      queue = { queue_id: body.queue_id, last_event_id: body.last_event_id };
      const next = page.evaluate(([...given]) => awaitEvent(...given), [server, MAX, queue, "message"]);
      await sendAsMel("max@chat.test", "Hello from outside of the browser");
      assert.equal((await next).message.content, "Hello from outside of the browser");
    },
    async "upload a file and read it"() {
      const text = await page.evaluate(([...given]) => uploadAndRead(...given), [server, MAX, "Grüße\n"]);
      assert.equal(text, "Grüße\n");
    },
    async "see a picture, and read it too"() {
      // Mel's picture is on this server.
      const { body } = await call("/users/me", { key: MEL });
      const picture = new URL(body.avatar_url, server).href;
      const seen = await page.evaluate(([...given]) => seeTwice(...given), [picture]);
      assert.deepEqual(seen, ["load", "load"], picture);
    },
    async "steer the server"() {
      const control = async (path, body) => page.evaluate(([...given]) => steer(...given), [server, path, body]);
      assert.equal((await control("/health")).result, "success");
      assert.equal((await control("/worlds", { name: "from-a-page" })).url, `${server}/w/from-a-page`);
      // A request that the browser repeats by itself is dropped too.
      const match = { method: "POST", path: "/messages", user: "max", params: { content: "lost" } };
      await control("/worlds/default/faults", { match, times: 1, effect: { drop: "after", retries: true } });
      const params = { type: "direct", to: '["mel@chat.test"]', content: "lost" };
      assert.deepEqual(await call("/messages", { method: "POST", key: MAX, params }), { error: "TypeError" });
      const narrow = '[{"operator":"search","operand":"lost"}]';
      const found = await call("/messages", {
        key: MAX,
        params: { anchor: "newest", num_before: 9, num_after: 0, narrow },
      });
      assert.equal(found.body.messages.length, 1, JSON.stringify(found));
    },
    async "use the other methods"() {
      const sent = await call("/messages", {
        method: "POST",
        key: MAX,
        params: { type: "direct", to: '["mel@chat.test"]', content: "Hi" },
      });
      const message = `/messages/${sent.body.id}`;
      const edited = await call(message, { method: "PATCH", key: MAX, params: { content: "Hello" } });
      assert.equal(edited.body.result, "success", JSON.stringify(edited));
      const ended = await call("/events", { method: "DELETE", key: MAX, params: { queue_id: queue.queue_id } });
      assert.equal(ended.body.result, "success", JSON.stringify(ended));
      await eventually(() => assert.ok(preflights.includes(`OPTIONS /api/v1${message}`), JSON.stringify(preflights)));
    },
  };
}

/** The checks of a server that allows other origins than the page's. */
function refusedChecks({ call, corsErrors }) {
  return {
    async "are refused the server settings"() {
      // The server answers; the browser keeps the reply from the page.
      assert.equal((await fetch(`${server}/api/v1/server_settings`)).status, 200);
      assert.deepEqual(await call("/server_settings"), { error: "TypeError" });
      await eventually(() => assert.deepEqual(corsErrors, ["MissingAllowOriginHeader"]));
    },
    async "are refused a call with credentials at its preflight"() {
      assert.deepEqual(await call("/users/me", { key: MAX }), { error: "TypeError" });
      await eventually(() => assert.deepEqual(corsErrors.slice(1), ["PreflightMissingAllowOriginHeader"]));
    },
    async "are refused a registration"() {
      assert.deepEqual(await call("/register", { method: "POST", key: MAX }), { error: "TypeError" });
    },
  };
}

/**
 * The options that make the browser trust the server's key over HTTPS. This program trusts the key's certificate through the
 * file that NODE_EXTRA_CA_CERTS names.
 */
async function trusting() {
  const { protocol, hostname: host, port } = new URL(server);
  if (protocol !== "https:") return [];
  const socket = tls.connect({ host, port: Number(port) });
  await new Promise((resolve, reject) => socket.on("secureConnect", resolve).on("error", reject));
  const key = socket.getPeerX509Certificate().publicKey.export({ type: "spki", format: "der" });
  socket.destroy();
  return [`--ignore-certificate-errors-spki-list=${crypto.createHash("sha256").update(key).digest("base64")}`];
}

/** Opens the page, and records its preflights, its CORS errors and the protocols of the replies. */
async function open(browser) {
  const page = await browser.newPage();
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  const preflights = [];
  const corsErrors = [];
  const protocols = new Set();
  network.on("Network.requestWillBeSent", ({ initiator, request }) => {
    if (initiator.type === "preflight") preflights.push(`${request.method} ${new URL(request.url).pathname}`);
  });
  network.on("Network.responseReceived", ({ response }) => {
    if (response.url.startsWith(`${server}/`)) protocols.add(response.protocol);
  });
  network.on("Network.loadingFailed", ({ type, corsErrorStatus }) => {
    if (type === "Fetch" && corsErrorStatus) corsErrors.push(corsErrorStatus.corsError);
  });
  await page.goto(`${await servePage(Number(values["page-port"]))}/page.html`);
  const call = (operation, options) => page.evaluate(([...given]) => attempt(...given), [server, operation, options]);
  return { call, page, preflights, protocols, corsErrors };
}

async function main() {
  const browser = await launch(values.browser, await trusting());
  const opened = await open(browser);
  const checks = values.expect === "refused" ? refusedChecks(opened) : allowedChecks(opened);
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
    } catch (error) {
      console.log(`not ok - web pages ${name}: ${error.stack}`);
      return 1;
    }
    console.log(`ok - web pages ${name}`);
  }
  await browser.close();
  return 0;
}

setTimeout(() => {
  console.log(`not ok - web pages took more than ${LONGEST_CHECK_MS / 1000} seconds`);
  process.exit(1);
}, LONGEST_CHECK_MS);
main().then(
  (status) => process.exit(status),
  (error) => {
    console.log(`not ok - web pages could not be opened: ${error.stack}`);
    process.exit(1);
  },
);
