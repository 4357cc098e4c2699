"use strict";

// Logs in and joins as people do, in a real browser.
//
// Takes `--binary`, the program. Prints a line `ok - …` for each check; ends at the first that fails with `not ok - …`
// and exit status 1. `--pictures FOLDER` keeps screenshots.

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { parseArgs } = require("node:util");
const { api, control, launch, serve } = require("./program");

const LONGEST_CHECK_MS = 120_000;
const PATIENCE_MS = 8_000;
const PAD = "0123456789abcdef".repeat(4);
const PASSWORD = "correct horse battery staple";
const SIGHTS = [
  ["light", 1280],
  ["dark", 1280],
  ["light", 360],
  ["dark", 360],
];

const { values } = parseArgs({
  options: {
    browser: { type: "string", default: "/usr/bin/chromium" },
    binary: { type: "string" },
    pictures: { type: "string" },
  },
});

/** Opens a page in a separate browser context; any error in it fails the check. */
async function open(browser, { scheme = "light", width = 1280, scripts = true } = {}) {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    javaScriptEnabled: scripts,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.faults = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      page.faults.push(message.text());
  });
  return page;
}

async function close(page) {
  assert.deepEqual(page.faults, []);
  await page.context().close();
}

/** The address of the user of a page's session; null without one. */
async function whoami(page, url) {
  const response = await page.request.get(`${url}/json/users/me`);
  return response.ok() ? (await response.json()).email : null;
}

/** The API key from the encrypted text that an app is opened with. */
function decrypted(encrypted) {
  const bytes = Buffer.from(encrypted, "hex").map((byte, at) => byte ^ Buffer.from(PAD, "hex")[at]);
  return bytes.toString("latin1");
}

async function link(url, params = {}) {
  return (await api(url, "olive", "POST", "/invites/multiuse", params)).invite_link;
}

const checks = {
  async "log in and out by the keyboard alone, without a script"({ browser, url }) {
    const page = await open(browser, { scripts: false });
    await page.goto(`${url}/login/?next=/accounts/login/`);
    const focused = page.locator(":focus");
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press("Tab");
      if ((await focused.textContent()).includes("mel@chat.test")) break;
    }
    const outline = await focused.evaluate((element) => getComputedStyle(element).outlineStyle);
    assert.equal(outline, "solid", "one sees where one is");
    await page.keyboard.press("Enter");
    await page.getByText("You are logged in as").waitFor();
    assert.equal(await whoami(page, url), "mel@chat.test");
    await page.getByRole("button", { name: "Log out" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("You are logged in as").waitFor({ state: "detached" });
    assert.equal(await whoami(page, url), null);
    await page.getByLabel("Email").fill("max@chat.test");
    await page.getByLabel("Password").fill("wrong");
    await page.keyboard.press("Enter");
    const alert = page.locator("form.card").getByRole("alert");
    await alert.waitFor();
    assert.equal(await page.getByRole("alert").count(), 1);
    assert.equal(await page.getByLabel("Email").inputValue(), "max@chat.test");
    const box = await alert.boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= 900, `the message is in view: ${JSON.stringify(box)}`);
    assert.equal(await page.locator(":focus").getAttribute("name"), "password");
    assert.match(await page.locator(":focus").getAttribute("aria-describedby"), /problem/);
    await close(page);
  },

  async "call the API in the session, from a script of the same site"({ browser, url }) {
    const page = await open(browser);
    await page.goto(`${url}/login/?next=/accounts/login/`);
    await page.getByRole("button", { name: "max@chat.test" }).click();
    await page.getByText("You are logged in as").waitFor();
    const cookies = Object.fromEntries((await page.context().cookies()).map((one) => [one.name, one]));
    assert.deepEqual(
      [cookies.sessionid.httpOnly, cookies.sessionid.sameSite, cookies.csrftoken.httpOnly],
      [true, "Lax", false],
    );
    // The policy of pages here forbids scripts to fetch; a client's own page has none.
    await page.route(`${url}/client`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>client</title>" }),
    );
    await page.goto(`${url}/client`);
    const sent = await page.evaluate(async () => {
      const body = new URLSearchParams({ type: "channel", to: "general", topic: "web", content: "from a session" });
      const without = await fetch("/json/messages", { method: "POST", body });
      const token = document.cookie.match(/csrftoken=(\w+)/)[1];
      const repeated = await fetch("/json/messages", { method: "POST", body, headers: { "X-CSRFToken": token } });
      return [(await without.json()).code, (await repeated.json()).result];
    });
    assert.deepEqual(sent, ["CSRF_FAILED", "success"]);
    await close(page);
  },

  async "give an app the key of the chosen user"({ browser, url }) {
    for (const prefix of ["", "/w/phone"]) {
      if (prefix) await control(url, "POST", "/worlds", { name: "phone", fork_of: "default", dialect: "zulip" });
      const page = await open(browser, { width: 390 });
      await page.goto(`${url}${prefix}/accounts/login/?mobile_flow_otp=${PAD}`);
      const answered = page.waitForResponse((response) => response.request().method() === "POST");
      await page.getByRole("button", { name: "mona@chat.test" }).click({ noWaitAfter: true });
      const response = await answered;
      assert.equal(response.status(), 302);
      const address = new URL(response.headers().location);
      assert.equal(`${address.protocol}//${address.host}`, prefix ? "zulip://login" : "chat://login");
      assert.equal(address.searchParams.get("realm"), `${url}${prefix}`);
      assert.equal(decrypted(address.searchParams.get("otp_encrypted_api_key")), "monaKey".padEnd(32, "0"));
      assert.equal(await whoami(page, `${url}${prefix}`), null);
      await page.waitForTimeout(200);
      await close(page);
    }
  },

  async "follow an invitation to the end"({ browser, url }) {
    const page = await open(browser);
    await page.goto(await link(url, { stream_ids: [1] }));
    await page.getByRole("heading", { name: "Join Chatdouble" }).waitFor();
    await page.getByLabel("Email").fill("zoe@example.com");
    await page.getByLabel("Full name").fill("Zoe");
    await page.getByLabel("Password").fill("secret");
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByLabel("Full name").inputValue(), "Zoe");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${url}/`);
    assert.equal(await whoami(page, url), "zoe@example.com");
    await page.context().close();
  },

  async "let no other site log a user in or read the page"({ browser, url }) {
    const page = await open(browser);
    await page.context().route("http://evil.example.com/**", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<!doctype html><form method="post" action="${url}/accounts/login/"><input name="direct_email" value="mel@chat.test"></form>`,
      }),
    );
    await page.goto("http://evil.example.com/");
    const read = await page.evaluate(
      (to) =>
        fetch(`${to}/accounts/login/`).then(
          (reply) => reply.status,
          () => "nothing",
        ),
      url,
    );
    assert.ok(read === 403 || read === "nothing", `${read}`);
    await page.evaluate(() => document.forms[0].submit());
    await page.getByText("keys are not given to pages of http://evil.example.com").waitFor();
    assert.equal(await whoami(page, url), null);
    await page.goto("http://evil.example.com/");
    await page.setContent(`<iframe src="${url}/accounts/login/"></iframe>`);
    await page.waitForTimeout(300);
    const framed = page.frames().find((frame) => frame.url().startsWith(url));
    assert.ok(!framed || !(await framed.content()).includes("mel@chat.test"), "it is shown in no frame");
    await page.context().close();
  },

  async "show each page in light and dark, wide and narrow, without a finding of axe"({ browser, url }) {
    const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
    await control(url, "POST", "/worlds", { name: "many", fixture: "large" });
    await control(url, "POST", "/worlds", { name: "hostile", fixture: "hostile" });
    await control(url, "POST", "/worlds", { name: "closed", fork_of: "default" });
    await fetch(`${url}/w/closed/api/v1/realm/deactivate`, {
      method: "POST",
      headers: { Authorization: `Basic ${btoa(`olive@chat.test:${"oliveKey".padEnd(32, "0")}`)}` },
    });
    const pages = {
      login: "/accounts/login/",
      app: `/accounts/login/?mobile_flow_otp=${PAD}`,
      many: "/w/many/accounts/login/",
      found: "/w/many/accounts/login/?query=ma",
      nobody: "/w/many/accounts/login/?query=qqqq",
      already: "/login/?email=mel%40chat.test&already_registered=1",
      join: new URL(await link(url, { stream_ids: [1, 2] })).pathname,
      mail: "/accounts/do_confirm/emailinvitekeyaaaaaaaaaa",
      unknown: `/join/${"a".repeat(24)}/`,
      closed: "/w/closed/accounts/login/",
      hostile: "/w/hostile/accounts/login/",
    };
    const findings = [];
    for (const [scheme, width] of SIGHTS) {
      const page = await open(browser, { scheme, width });
      const look = async (name) => {
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        if (wide > width) findings.push(`${name} is ${wide} wide at ${width}`);
        if (values.pictures)
          await page.screenshot({ path: path.join(values.pictures, `${name}-${scheme}-${width}.png`) });
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
        findings.push(
          ...violations.map(
            (one) =>
              `${name} ${scheme} ${width}: ${one.id} ${one.nodes
                .slice(0, 3)
                .map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`)
                .join(" | ")}`,
          ),
        );
      };
      for (const [name, to] of Object.entries(pages)) {
        await page.goto(`${url}${to}`);
        await look(name);
      }
      await page.goto(`${url}/login/?next=/accounts/login/`);
      await page.getByLabel("Email").fill("mel@chat.test");
      await page.getByLabel("Password").fill("wrong");
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByRole("alert").waitFor();
      await look("wrong");
      await page.getByRole("button", { name: "mel@chat.test" }).click();
      await page.getByText("You are logged in as").waitFor();
      await look("again");
      await page.context().clearCookies();
      await page.getByRole("button", { name: "Log out" }).click();
      await page.getByText("Access forbidden (403)").waitFor();
      await look("forbidden");
      await close(page);
    }
    assert.deepEqual(findings, []);
  },
};

async function main() {
  const browser = await launch(values.browser);
  const server = await serve(values.binary);
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check({ browser, url: server.url });
    } catch (error) {
      console.log(`not ok - people should ${name}: ${error.stack}`);
      return 1;
    }
    console.log(`ok - people: ${name}`);
  }
  await server.stop();
  await browser.close();
  return 0;
}

setTimeout(() => {
  console.log(`not ok - logging in took more than ${LONGEST_CHECK_MS / 1000} seconds`);
  process.exit(1);
}, LONGEST_CHECK_MS);
main().then(
  (status) => process.exit(status),
  (error) => {
    console.log(`not ok - the pages could not be opened: ${error.stack}`);
    process.exit(1);
  },
);
