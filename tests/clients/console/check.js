"use strict";

// Uses the console as people do, in a real browser.
//
// Takes `--binary`, the program. Prints a line `ok - …` for each check; ends at the first that fails with `not ok - …`
// and exit status 1.

const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { parseArgs } = require("node:util");
const jsQR = require("jsqr");
const { acting } = require("./acting");
const { attackOf, plantAttacks } = require("./attacks");
const { cases } = require("./cases");
const { levels } = require("./levels");
const { panes } = require("./panes");
const { queues } = require("./queues");
const { recorded } = require("./recorded");
const { shown } = require("./shown");
const { steered } = require("./steered");
const { stories } = require("./stories");
const { switched } = require("./switched");
const { times } = require("./times");
const { views } = require("./views");
const { close, fluency, live, open } = require("./page");
const { api, control, launch, serve } = require("./program");

const LONGEST_CHECK_MS = 290_000;
const VIEWS = ["live", "people", "channels", "act", "faults", "pushes", "report", "state"];
const FLUENT_MS = 100;
// The goal is 300 ms on a quiet machine; on a slow one the best of ten loads took 396 ms.
const LOAD_MS = 900;
const LOADS = 10;
const PAGE_BYTES = 400 * 1024;

const { values } = parseArgs({
  options: {
    browser: { type: "string", default: "/usr/bin/chromium" },
    binary: { type: "string" },
    only: { type: "string", default: "" },
  },
});

const checks = {
  async "load at once, within its size"({ browser, url }) {
    await close(await open(browser, `${url}/console`));
    const times = [];
    let bytes = 0;
    // The best of several counts, since other work of the machine is not the page's.
    while (times.length < LOADS && !(Math.min(...times) < LOAD_MS)) {
      const page = await open(browser, `${url}/console`);
      await page.getByRole("link", { name: "default", exact: true }).waitFor();
      const shown = await page.evaluate(() => {
        const all = performance.getEntriesByType("resource").filter((one) => one.name.includes("/console/files/"));
        const [navigation] = performance.getEntriesByType("navigation");
        return {
          ms: Math.max(navigation.loadEventEnd, ...all.map((one) => one.responseEnd)),
          bytes: all.reduce((sum, one) => sum + one.decodedBodySize, navigation.decodedBodySize),
        };
      });
      times.push(shown.ms);
      bytes = shown.bytes;
      await close(page);
    }
    const best = Math.min(...times);
    console.log(`# loaded in ${best.toFixed(0)} ms, ${Math.round(bytes / 1024)} KiB`);
    assert.ok(best < LOAD_MS, `${times}`);
    assert.ok(bytes > 50_000 && bytes < PAGE_BYTES, `${bytes}`);
  },

  async "show each view in light and dark, wide and narrow, without a finding of axe"({ browser, url }) {
    const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
    await control(url, "POST", "/worlds/default/snapshots", { name: "before" });
    await control(url, "POST", "/worlds/default/faults", {
      times: 5,
      match: { path: "/drafts" },
      effect: { garbage: true },
    });
    await api(url, "mel", "GET", "/mesages");
    await api(url, "mel", "POST", "/mobile_push/e2ee/test_notification");
    const findings = [];
    for (const [scheme, width] of [
      ["light", 1280],
      ["dark", 1280],
      ["light", 390],
      ["dark", 390],
    ]) {
      const page = await open(browser, `${url}/console`, { scheme, width });
      for (const view of ["worlds", ...VIEWS]) {
        await page.evaluate(
          (to) => {
            history.pushState(null, "", to);
            dispatchEvent(new PopStateEvent("popstate"));
          },
          view === "worlds" ? "/console" : `/console/w/default/${view}`,
        );
        await page.locator("h1").first().waitFor({ state: "attached" });
        if (view === "live") await live(page).last().click();
        if (view === "people") await page.getByText("Mel Marsh").first().click();
        if (view === "act") await page.getByText("listening").nth(1).waitFor();
        if (view === "channels") await page.getByLabel("As seen by").selectOption({ label: "Gus Grant, guest" });
        await page.waitForTimeout(60);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        if (wide > width) findings.push(`${view} is ${wide} wide at ${width}`);
        // A policy forbids inline scripts in the page's own world; the tester's script comes from outside of it.
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
        findings.push(
          ...violations.map(
            (one) =>
              `${view} ${scheme} ${width}: ${one.id} ${one.nodes
                .slice(0, 3)
                .map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`)
                .join(" | ")}`,
          ),
        );
      }
      await close(page);
    }
    assert.deepEqual(findings, []);
    await control(url, "POST", "/worlds/default/reset", {});
  },

  async "show requests with the events that they caused, as they happen"({ browser, url }) {
    // A separate world: clients of earlier checks may still send requests to the others.
    await control(url, "POST", "/worlds", { name: "watched" });
    const world = `${url}/w/watched`;
    const page = await open(browser, `${url}/console/w/watched/live`);
    await page.getByText("Waiting for the first request").waitFor();
    await api(world, "mel", "POST", "/messages", { type: "channel", to: "general", topic: "lunch", content: "Soup?" });
    await live(page).nth(1).waitFor();
    assert.match(await live(page).nth(0).innerText(), /Mel Marsh[\s\S]*POST[\s\S]*#general › lunch: Soup\?/);
    assert.match(
      await live(page).nth(1).innerText(),
      /message[\s\S]*Mel Marsh in #general › lunch: Soup\?[\s\S]*to 9 users/,
    );
    await api(world, "max", "GET", "/mesages");
    await live(page).nth(2).click();
    await page.getByText("The nearest operation is GET /api/v1/messages.").waitFor();
    await page.getByText("A-1 in docs/assumptions.md").click();
    await page.getByText(/^\s*An unknown path is answered with 404/).waitFor();
    await live(page).nth(0).click();
    await page.getByText(/requests? at level 247, .*; .* requests at level 387, /).waitFor();
    await page.getByText(/^\d+ reasons?$/).click();
    await page.getByText(/Level 387, .* requests?: A channel that the sender can't see is named only/).waitFor();
    await live(page).nth(2).click();
    await page.getByText("The nearest operation is GET /api/v1/messages.").waitFor();
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "Who received it" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("soup");
    await page.getByText("2 rows").waitFor();
    await page.getByLabel("Kind").selectOption("errors");
    await page.getByText("Nothing fits the filter").waitFor();
    await close(page);
    await control(url, "DELETE", "/worlds/watched");
  },

  async "steer the time of a world"({ browser, url }) {
    const page = await open(browser, `${url}/console/w/default/live`);
    await page.getByRole("button", { name: /next: reminder 1 in 1 h/ }).click();
    await page.getByText(/1 thing fell due: reminder 1/).waitFor();
    await page.getByLabel("+1 d: go on").click();
    await page.locator(".time-day", { hasText: "Tue, 6 Jan 2026" }).waitFor();
    // An instant in a time zone that springs forward on the way.
    await page.getByTitle("Choose an instant and a time zone").click();
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await page.getByLabel("Instant").fill("2026-03-29T03:30");
    await page.getByRole("button", { name: "Go there" }).click();
    await page.locator(".time-day", { hasText: "Sun, 29 Mar 2026" }).waitFor();
    assert.equal((await control(url, "GET", "/worlds/default/clock")).now, Date.parse("2026-03-29T01:30:00Z") / 1000);
    await page.getByLabel("Let the clock run").click();
    await page.getByText("running", { exact: true }).waitFor();
    await control(url, "POST", "/worlds/default/reset", {});
    await close(page);
  },

  async "act as two people by clicks, and export what plays again"({ browser, url }) {
    const page = await open(browser, `${url}/console/w/default/act`);
    const [mel, max] = [page.getByLabel("Acting as Mel Marsh"), page.getByLabel("Acting as Max Mercer")];
    await Promise.all([mel.getByText("listening").waitFor(), max.getByText("listening").waitFor()]);
    const write = async (who, name, text) => {
      await who.getByLabel(`Message as ${name}`).fill(text);
      await who.getByLabel(`Message as ${name}`).press("Enter");
    };
    await write(mel, "Mel Marsh", "Lunch at **noon**? {{really}}");
    await max
      .locator(".message", { hasText: "{{really}}" })
      .getByLabel(/Act on message/)
      .click();
    await max.getByLabel("React with heart").click();
    await mel.locator(".reaction", { hasText: "1" }).last().waitFor();
    await mel.locator(".message", { hasText: "{{really}}" }).dragTo(mel.locator(".place", { hasText: "lunch" }));
    await max.locator(".place", { hasText: "lunch" }).click();
    await max.locator(".message", { hasText: "{{really}}" }).waitFor();
    await page.getByLabel("+1 h: go on").click();
    await page.getByText("4 steps").waitFor();
    await max
      .locator(".message", { hasText: "{{really}}" })
      .getByLabel(/Act on message/)
      .click();
    await max.getByText("Edit …").click();
    await page.getByLabel("Text").fill("Not mine");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("5 steps").waitFor();
    await page.getByRole("button", { name: "Export as scenario" }).click();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "console-"));
    await page.getByLabel("at the start of the recording").check();
    const downloads = [];
    page.on("download", (one) => downloads.push(one.saveAs(path.join(folder, one.suggestedFilename()))));
    await page.getByRole("button", { name: "Download" }).click();
    await page.waitForTimeout(500);
    await Promise.all(downloads);
    await page.getByLabel("at the start of the recording").uncheck();
    fs.writeFileSync(path.join(folder, "alone.md"), await page.locator(".export").textContent());
    const files = fs
      .readdirSync(folder)
      .filter((name) => name.endsWith(".md"))
      .map((name) => path.join(folder, name));
    assert.equal(files.length, 2, `${files}`);
    const played = spawnSync(values.binary, ["scenario", "run", ...files], { encoding: "utf8" });
    assert.equal(played.status, 0, `${played.stdout}${played.stderr}`);
    assert.match(played.stdout, /2 played, 0 skipped, 0 differ/);
    fs.rmSync(folder, { recursive: true });
    await close(page);
    await control(url, "POST", "/worlds/default/reset", {});
  },

  async "arm faults by a click, and show when they fire"({ browser, url }) {
    const page = await open(browser, `${url}/console/w/default/faults`);
    await page.getByRole("button", { name: "Next send is rate-limited" }).click();
    await page.getByRole("row", { name: /fault-1 armed/ }).waitFor();
    const refused = await api(url, "mel", "POST", "/messages", {
      type: "channel",
      to: "general",
      topic: "x",
      content: "y",
    });
    assert.equal(refused.code, "RATE_LIMIT_HIT");
    await page.getByRole("row", { name: /fault-1 spent/ }).waitFor();
    await page.getByLabel("Who").selectOption({ label: "Mel Marsh" });
    await page.getByLabel("Operation or files").fill("/mesages");
    await page.getByRole("button", { name: "Arm it" }).click();
    await page.waitForFunction(() =>
      document.querySelector("[name=path]").validationMessage.includes("the nearest is /messages"),
    );
    await page.getByLabel("Operation or files").fill("/messages");
    await page.getByLabel("Parameters").fill("topic=lunch");
    await page.getByLabel("Effect").selectOption("drop_after");
    await page.getByRole("button", { name: "Arm it" }).click();
    await page.getByRole("row", { name: /loses the reply/ }).waitFor();
    const { faults } = await control(url, "GET", "/worlds/default/faults");
    assert.deepEqual(faults[1].match, { path: "/messages", user: "mel@chat.test", params: { topic: "lunch" } });
    await page.getByRole("button", { name: "Remove all" }).click();
    await page.getByRole("row").first().waitFor({ state: "detached" });
    await close(page);
  },

  async "show people, their keys as QR codes, and lose their queues"({ browser, url }) {
    const { queue_id: queue } = await api(url, "max", "POST", "/register", { event_types: ["message"] });
    const page = await open(browser, `${url}/console/w/default/people`);
    await page.getByPlaceholder("Search name, address, role").fill("max@");
    await page.getByText("Max Mercer").click();
    await page.getByRole("button", { name: "QR code" }).click();
    const code = page.locator("svg.qr");
    const pixels = await code.evaluate(async (svg) => {
      const modules = Number(svg.getAttribute("viewBox").split(" ")[2]);
      const canvas = new OffscreenCanvas(modules * 4, modules * 4);
      const context = canvas.getContext("2d");
      context.fillStyle = "#fff";
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.scale(4, 4);
      context.fillStyle = "#000";
      context.fill(new Path2D(svg.querySelector("path").getAttribute("d")));
      return { size: canvas.width, data: [...context.getImageData(0, 0, canvas.width, canvas.height).data] };
    });
    const read = jsQR(Uint8ClampedArray.from(pixels.data), pixels.size, pixels.size);
    assert.equal(read?.data, `${url}\nmax@chat.test\nmaxKey00000000000000000000000000`);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Lose queue" }).click();
    await page.getByText("Lost: its next poll fails").waitFor();
    assert.equal(
      (await api(url, "max", "GET", "/events", { queue_id: queue, last_event_id: -1 })).code,
      "BAD_EVENT_QUEUE_ID",
    );
    await page.getByRole("button", { name: "Deactivate …" }).click();
    await page.getByRole("button", { name: "Deactivate", exact: true }).click();
    await page.getByText("Max Mercer is deactivated").waitFor();
    assert.equal((await api(url, "max", "GET", "/users/me")).code, "USER_DEACTIVATED");
    await control(url, "POST", "/worlds/default/reset", {});
    await close(page);
  },

  async "say who sees what, and what changed since a snapshot"({ browser, url }) {
    const page = await open(browser, `${url}/console/w/default/channels`);
    await page.getByLabel("As seen by").selectOption({ label: "Gus Grant, guest" });
    await page.getByRole("button", { name: /#leadership/ }).click();
    await page.getByText("not visible for Gus Grant").waitFor();
    await page.locator(".reason").first().waitFor();
    await page.getByText("Permissions", { exact: true }).click();
    await page.getByRole("cell", { name: "can_send_message_group" }).waitFor();
    await page.getByRole("button", { name: /#design/ }).click();
    await page.getByText("visible for Gus Grant", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Unsubscribe Gus Grant" }).click();
    await page.getByText("not visible for Gus Grant", { exact: true }).waitFor();
    await page.getByRole("button", { name: "World: snapshots, fork, reset" }).click();
    await page.getByText("Take a snapshot …").click();
    await page.getByLabel("Name").fill("calm");
    await page.getByRole("button", { name: "Take it" }).click();
    await page.getByText("Snapshot calm taken").waitFor();
    await api(url, "mel", "POST", "/messages", {
      type: "channel",
      to: "general",
      topic: "new",
      content: "Something else",
    });
    await page.getByRole("link", { name: "State" }).click();
    await page.getByRole("button", { name: /^calm/ }).click();
    await page.locator("ins", { hasText: "Something else" }).first().waitFor();
    assert.deepEqual(
      (await control(url, "GET", "/worlds")).worlds.map((world) => world.name),
      ["default"],
      "comparing leaves no world behind",
    );
    await close(page);
  },

  async "say of a repetition that it was not carried out"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "repeated", fork_of: "default" });
    const rule = { match: { path: "/users/me" }, times: 1, effect: { drop: "after", retries: true } };
    await control(url, "POST", "/worlds/repeated/faults", rule);
    const { users } = await control(url, "GET", "/worlds/repeated/users?user=mel");
    const authorization = `Basic ${btoa(`${users[0].email}:${users[0].api_key}`)}`;
    for (let round = 0; round < 2; round++)
      await fetch(`${url}/w/repeated/api/v1/users/me`, { headers: { authorization } }).catch(() => {});
    const page = await open(browser, `${url}/console/w/repeated/live`);
    await page.locator(".live-row", { hasText: "/users/me" }).last().click();
    await page.getByText(/repeats request \d+, as browsers do by themselves/).waitFor();
    await control(url, "DELETE", "/worlds/repeated");
    await page.close();
  },

  async "show the refusal of a new fault at its field"({ browser, url }) {
    const page = await open(browser, `${url}/console/w/default/faults`);
    const path = page.getByLabel("Operation or files");
    await path.fill("/mesages");
    await page.getByRole("button", { name: "Arm it" }).click();
    await page.waitForFunction(() => document.querySelector("[name=path]").validationMessage.includes("/messages"));
    await path.fill("/messages");
    assert.equal(await path.evaluate((field) => field.validationMessage), "");
    await page.getByRole("button", { name: "Arm it" }).click();
    await page.getByText(/is armed/).waitFor();
    await page.close();
  },

  async "answer with the code and the message of a status where the form of a fault has none"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "status" });
    const page = await open(browser, `${url}/console/w/status/faults`);
    await page.getByLabel("Operation or files").fill("/users/me");
    await page.getByLabel("Status", { exact: true }).fill("401");
    await page.getByRole("button", { name: "Arm it" }).click();
    await page.getByText(/is armed/).waitFor();
    const refused = await api(`${url}/w/status`, "mel", "GET", "/users/me");
    assert.equal(refused.code, "UNAUTHORIZED");
    assert.match(refused.msg, /^Not logged in/);
    await close(page);
    await control(url, "DELETE", "/worlds/status");
  },

  async "say what each preset, network and limit does, and name none twice"({ browser, url }) {
    const page = await open(browser, `${url}/console/w/default/act`);
    await page.getByLabel("Arm a fault for Mel Marsh").click();
    const items = page.locator(".menu-item", { hasText: /^(?!End)/ });
    const texts = await items.allTextContents();
    assert.equal(texts.filter((text) => /offline/i.test(text)).length, 1, texts.join());
    assert.ok(await page.getByRole("button", { name: "Network offline" }).getAttribute("title"));
    assert.ok(await page.getByRole("button", { name: "Next poll loses its queue" }).getAttribute("title"));
    await page.close();
  },

  async "keep two browsers up to date, and report a world that is gone"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "shared", fork_of: "default" });
    const [one, other] = await Promise.all([
      open(browser, `${url}/console/w/shared/live`),
      open(browser, `${url}/console/w/shared/faults`),
    ]);
    await one.getByText("Waiting for the first request").waitFor();
    await other.getByRole("button", { name: "Offline", exact: true }).click();
    await one.locator(".side-count.warn", { hasText: "1" }).waitFor();
    await one.getByLabel("+1 d: go on").click();
    await other.locator(".time-day", { hasText: "Tue, 6 Jan 2026" }).waitFor();
    await control(url, "DELETE", "/worlds/shared");
    await Promise.all([one, other].map((page) => page.getByText("There is no world shared any more").waitFor()));
    await control(url, "POST", "/worlds", { name: "shared", fork_of: "default" });
    await one.getByText("There is no world shared any more").waitFor({ state: "detached" });
    await control(url, "DELETE", "/worlds/shared");
    await Promise.all([close(one), close(other)]);
  },

  async "show text that attacks as text, wherever people may write it"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "attacked", label: attackOf("label"), fork_of: "default" });
    await plantAttacks(`${url}/w/attacked`, (path, body) => control(url, "POST", `/worlds/attacked${path}`, body));
    const page = await open(browser, `${url}/console`);
    page.on("dialog", (dialog) => page.faults.push(`dialog ${dialog.message()}`));
    await page.getByText(attackOf("label")).waitFor();
    for (const view of VIEWS) {
      await page.goto(`${url}/console/w/attacked/${view}`);
      await page.locator("h1").first().waitFor({ state: "attached" });
      if (view === "channels") {
        await page.getByRole("button", { name: `#${attackOf("channel")}` }).click();
        await page.getByText(attackOf("content")).first().waitFor();
      }
      if (view === "live") {
        await page.getByText(attackOf("content")).first().waitFor();
        await live(page).filter({ hasText: "/users/me" }).last().click();
        await page.getByText(attackOf("parameter")).first().waitFor();
      }
      if (view === "people") await page.getByText("Mel 'onerror=attack(4)'").first().click();
      if (view === "act") await page.getByText("listening").nth(1).waitFor();
      if (view === "faults") await page.getByText(attackOf("fault")).first().waitFor();
      if (view === "pushes") await page.getByText(attackOf("direct")).first().waitFor();
      if (view === "report") await page.getByText(attackOf("parameter")).first().waitFor();
      if (view === "state") {
        await page.getByRole("button", { name: "Read", exact: true }).click();
        await page.getByLabel("Search keys and values").fill("onerror");
        await page.getByText(attackOf("reminder")).first().waitFor();
      }
      const elements = page.locator('img[src="x"], svg[onload], [onerror], script:not([src])');
      assert.equal(await elements.count(), 0, view);
    }
    await close(page);
    await control(url, "DELETE", "/worlds/attacked");
  },

  async "stay fluent with ten thousand requests"({ browser, url }) {
    for (let sent = 0; sent < 10_000; sent += 100)
      await Promise.all(Array.from({ length: 100 }, () => fetch(`${url}/api/v1/server_settings`)));
    const page = await open(browser, `${url}/console/w/default/live`);
    await page.getByText(/^10,000 rows$/).waitFor();
    const times = { scroll: await fluency(page, null), filter: await fluency(page, "nothing like it") };
    assert.ok((await live(page).count()) < 100, "only what is in sight is in the page");
    console.log(`# 10,000 requests: filter ${times.filter.toFixed(0)} ms, scroll ${times.scroll.toFixed(0)} ms`);
    assert.ok(times.filter < FLUENT_MS && times.scroll < FLUENT_MS, JSON.stringify(times));
    await control(url, "POST", "/worlds/default/reset", {});
    await close(page);
  },

  async "stay fluent with ten thousand people"({ browser }) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "console-"));
    const fixture = path.join(folder, "many.json");
    spawnSync(values.binary, [
      "fixture",
      "generate",
      "--users",
      "10000",
      "--channels",
      "5",
      "--messages",
      "10",
      "--seed",
      "1",
      "-o",
      fixture,
    ]);
    const server = await serve(values.binary, ["--fixture", fixture]);
    const page = await open(browser, `${server.url}/console/w/default/people`);
    await page.getByText(/^10,0\d\d people$/).waitFor();
    const times = { scroll: await fluency(page, null), filter: await fluency(page, "mar") };
    console.log(`# 10,000 people: filter ${times.filter.toFixed(0)} ms, scroll ${times.scroll.toFixed(0)} ms`);
    assert.ok(times.filter < FLUENT_MS && times.scroll < FLUENT_MS, JSON.stringify(times));
    await close(page);
    await server.stop();
    fs.rmSync(folder, { recursive: true });
  },

  async "connect again after the server restarts, and ask for its token"({ browser }) {
    const first = await serve(values.binary);
    const page = await open(browser, `${first.url}/console/w/default/live`);
    await page.getByText("Waiting for the first request").waitFor();
    await first.stop();
    await page.getByText("The server does not answer").waitFor();
    page.faults.length = 0;
    const second = await serve(values.binary, [], first.port);
    await page.getByText("The server does not answer").waitFor({ state: "detached" });
    await api(second.url, "mel", "GET", "/users/me");
    await live(page).first().waitFor();
    await second.stop();
    await page.context().close();
    const guarded = await serve(values.binary, ["--control-token", "secret"]);
    const asked = await open(browser, `${guarded.url}/`);
    await asked.getByLabel("Control token").waitFor();
    assert.equal(await asked.getByRole("alert").count(), 0);
    await asked.getByLabel("Control token").fill("secrte");
    await asked.getByRole("button", { name: "Open" }).click();
    await asked.getByText("The server refused the token that was entered").waitFor();
    await asked.getByLabel("Control token").fill("secret");
    await asked.getByRole("button", { name: "Open" }).click();
    await asked.getByRole("link", { name: "default", exact: true }).click();
    await asked.getByText("Waiting for the first request").waitFor();
    await api(guarded.url, "mel", "GET", "/users/me");
    await live(asked).first().waitFor();
    await close(asked);
    await guarded.stop();
  },
};

/** Runs checks one after the other, with a browser and a server of their own. False says that one failed. */
async function run(all) {
  const wanted = Object.entries(all).filter(([name]) => name.includes(values.only));
  if (wanted.length === 0) return true;
  const browser = await launch(values.browser);
  const server = await serve(values.binary);
  for (const [name, check] of wanted) {
    try {
      await check({ browser, url: server.url, binary: values.binary });
    } catch (error) {
      console.log(`not ok - the console should ${name}: ${error.stack}`);
      return false;
    }
    console.log(`ok - the console: ${name}`);
  }
  await server.stop();
  await browser.close();
  return true;
}

async function main() {
  // Those that measure times run alone.
  if (!(await run(checks))) return 1;
  const passed = await Promise.all([
    run({ ...views, ...stories, ...cases, ...panes, ...switched }),
    run({ ...levels, ...times, ...queues }),
    run({ ...acting, ...recorded, ...shown, ...steered }),
  ]);
  return passed.every(Boolean) ? 0 : 1;
}

setTimeout(() => {
  console.log(`not ok - the console took more than ${LONGEST_CHECK_MS / 1000} seconds`);
  process.exit(1);
}, LONGEST_CHECK_MS);
main().then(
  (status) => process.exit(status),
  (error) => {
    console.log(`not ok - the console could not be opened: ${error.stack}`);
    process.exit(1);
  },
);
