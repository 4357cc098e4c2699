"use strict";

// What is shown of a world itself: its time and level, what others do to it, and what presets do.

const assert = require("node:assert/strict");
const { close, live, open } = require("./page");
const { api, control } = require("./program");
const { arm, begin, end, listening, message, pane, view, write } = require("./hands");

const NARROW = 390;

/** A page whose watch socket also brings frames that a check makes. */
async function watching(browser, url, world) {
  const page = await open(browser, "about:blank");
  await page.addInitScript(() => {
    const Real = WebSocket;
    globalThis.WebSocket = class extends Real {
      constructor(...given) {
        super(...given);
        globalThis.bring = (frame) => this.onmessage({ data: JSON.stringify(frame) });
      }
    };
  });
  page.removeAllListeners("request");
  await page.goto(`${url}/console/w/${world}/live`);
  return page;
}

const shown = {
  async "show no time before the world is read"({ browser, url }) {
    for (const width of [1280, NARROW]) {
      const page = await open(browser, `${url}/console`, { width });
      let go;
      const slow = new Promise((resolve) => {
        go = resolve;
      });
      await page.route("**/control/worlds/default/clock", async (route) => {
        await slow;
        await route.continue();
      });
      await page.getByRole("link", { name: "default", exact: true }).click();
      await page.getByText("Opening the world").waitFor();
      const bar = page.getByLabel("Time of the world");
      await bar.getByText("loading").waitFor();
      assert.doesNotMatch(await bar.innerText(), /1970|00:00:00|frozen|in \d/);
      go();
      await bar.getByText(/2026/).waitFor();
      await close(page);
    }
  },

  async "show the feature level and the dialect of a world"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "level", feature_level: 300, dialect: "zulip" });
    for (const width of [1280, NARROW]) {
      const page = await open(browser, `${url}/console/w/level/act`, { width });
      await listening(page);
      const level = page.getByTitle("Feature level 300, names of the dialect zulip").and(page.locator(":visible"));
      await level.waitFor();
      assert.match(await level.innerText(), /level 300/);
      const [time, menu] = await Promise.all(
        [page.locator(".time"), page.getByLabel("World: snapshots, fork, reset")].map((one) => one.boundingBox()),
      );
      assert.ok(menu.y < time.y + time.height, "both are in one row");
      await close(page);
    }
    await control(url, "DELETE", "/worlds/level");
  },

  async "say which hours a day does not have, or has twice, where clocks are changed"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "changed", clock: "2026-03-28T09:00:00Z" });
    const page = await open(browser, `${url}/console/w/changed/live`);
    const goTo = async (instant) => {
      await page.getByTitle("Choose an instant and a time zone").click();
      await page.getByLabel("Time zone").fill("Europe/Berlin");
      await page.getByLabel("Instant").fill(instant);
      await page.getByRole("button", { name: "Go there" }).click();
    };
    const now = async () => (await control(url, "GET", "/worlds/changed/clock")).now;
    await goTo("2026-03-29T02:30");
    await page.getByText("Clocks in Europe/Berlin are put forward over 02:30:00 on that day").waitFor();
    assert.equal(await now(), Date.parse("2026-03-28T09:00:00Z") / 1000);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator(".time-day", { hasText: "Berlin +01:00" }).waitFor();
    await goTo("2026-10-25T02:30");
    await page.getByText("It is 02:30:00 twice on that day: this is the first time, at UTC +02:00").waitFor();
    assert.equal(await now(), Date.parse("2026-10-25T00:30:00Z") / 1000);
    await page.locator(".time-day", { hasText: "Berlin +02:00" }).waitFor();
    await close(page);
    await control(url, "DELETE", "/worlds/changed");
  },

  async "say what a client sees of each preset, and make it so"({ browser, url }) {
    const codes = [];
    for (const level of [387, 512]) {
      await control(url, "POST", "/worlds", { name: "preset", feature_level: level, clock: "frozen" });
      const page = await open(browser, `${url}/console/w/preset/act`);
      await listening(page);
      await write(page, "Mel Marsh", "Still in");
      await pane(page, "Mel Marsh").locator(".message", { hasText: "Still in" }).waitFor();
      await view(page, "Faults");
      const presets = page.getByRole("group", { name: /^(Presets|Networks|Rate limits)$/ });
      for (const preset of await presets.locator(".preset").all()) assert.match(await preset.innerText(), /\S\n+\S/);
      await page.getByText("500 “Internal server error”; nothing is sent").waitFor();
      await page.getByRole("button", { name: "Next send fails with 500" }).click();
      await page.getByRole("row", { name: /fault-1 armed/ }).waitFor();
      const send = () =>
        api(`${url}/w/preset`, "adam", "POST", "/messages", { type: "direct", to: ["mel@chat.test"], content: "?" });
      assert.deepEqual(await send(), {
        result: "error",
        msg: "Internal server error",
        code: "INTERNAL_ERROR",
      });
      await view(page, "Act as");
      await page.getByLabel("Arm a fault for Mel Marsh").click();
      const said = await page.getByRole("button", { name: /Logged out/ }).innerText();
      await page.getByRole("button", { name: /Logged out/ }).click();
      // The poll that is parked is answered; the next one is refused.
      await send();
      await pane(page, "Mel Marsh").getByText("Invalid API key").first().waitFor();
      const { status, code } = await refusal(`${url}/w/preset`);
      assert.ok(said.includes(`${status} ${code}`), `${said}, ${status} ${code}`);
      codes.push(code);
      await arm(page, "Mel Marsh", "End faults, network and rate limit");
      await page
        .getByLabel("Acting as Mel Marsh")
        .getByText(/listening/)
        .waitFor();
      await close(page);
      await control(url, "DELETE", "/worlds/preset");
    }
    assert.deepEqual(codes, ["UNAUTHORIZED", "INVALID_API_KEY"]);
  },

  async "say that typing counts for the rate limit of one request, which the first message meets"({ browser, url }) {
    const page = await begin(browser, url, "tight");
    await page.getByLabel("Arm a fault for Mel Marsh").click();
    const limit = page.getByRole("button", { name: "1 request in 30 s" });
    assert.match(await limit.innerText(), /typing and reads count, so the first message may get it/);
    await limit.click();
    await write(page, "Mel Marsh", "Too fast?");
    await page.getByText("Last: mel POST /messages refused, 429").waitFor();
    await end(page, url, "tight");
  },

  async "find a request by what a fault did to it, also when the fault is spent or removed"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "sought" });
    const world = `${url}/w/sought`;
    const page = await open(browser, `${url}/console/w/sought/live`);
    await page.getByText("Waiting for the first request").waitFor();
    const match = { path: "/messages" };
    for (const effect of [{ drop: "before" }, { gateway: 502 }])
      await control(url, "POST", "/worlds/sought/faults", { match, times: 1, effect });
    const request = (path) => api(world, "mel", "GET", path, { anchor: "newest", num_before: 1, num_after: 0 });
    await request("/users/me");
    await assert.rejects(request("/messages"));
    await assert.rejects(request("/messages"));
    await live(page).nth(2).waitFor();
    const search = page.getByLabel("Search", { exact: true });
    const found = async (text, fault) => {
      await search.fill(text);
      await page.getByText("1 row", { exact: true }).waitFor();
      await live(page).filter({ hasText: fault }).waitFor();
    };
    await found("drop", "fault-1");
    await found("loses the request", "fault-1");
    await found("gateway", "fault-2");
    await control(url, "DELETE", "/worlds/sought/faults");
    await found("drop", "fault-1");
    await live(page).first().click();
    await page.getByLabel("Details").getByText("fault-1: loses the request").waitFor();
    const repeats = page.getByLabel("Details").getByText("a browser repeats such a request by itself");
    assert.equal(await repeats.count(), 0, "the request is not one of this page");
    await search.fill("");
    await control(url, "POST", "/worlds/sought/faults", {
      match: { path: "/messages", method: "POST" },
      times: 1,
      effect: { drop: "before" },
    });
    await view(page, "Act as");
    await listening(page);
    await write(page, "Mel Marsh", "Repeated");
    await message(page, "Max Mercer", "Repeated").waitFor();
    await view(page, "Live");
    await live(page).filter({ hasText: "no reply" }).last().click();
    await page.getByLabel("Details").getByText("fault-3: loses the request").waitFor();
    await repeats.waitFor();
    await end(page, url, "sought");
  },

  async "have a line in Live for what is done to a world, and for frames that it does not know"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "steered", fixture: "cast", clock: "2026-01-05T09:00:00Z" });
    const page = await watching(browser, url, "steered");
    await page.getByText("Waiting for the first request").waitFor();
    const row = (text) => live(page).filter({ hasText: text });
    const steer = (path, body) => control(url, "POST", `/worlds/steered${path}`, body);
    await steer("/network", { profile: "edge", user: "mel" });
    await row(/network[\s\S]*mel: edge, 300 ms/).waitFor();
    await steer("/rate_limit", { requests: 10, seconds: 60 });
    await row(/rate limit[\s\S]*everybody: 10 requests in 60 s/).waitFor();
    await control(url, "DELETE", "/worlds/steered/network");
    await row(/network[\s\S]*mel: ended/).waitFor();
    const { queue_id: queue } = await api(`${url}/w/steered`, "max", "POST", "/register", { event_types: ["message"] });
    await control(url, "DELETE", `/worlds/steered/queues/${queue}`);
    await row(/The queue of max is lost/).waitFor();
    const at = Date.parse("2026-01-05T09:00:00Z") / 1000;
    await page.evaluate((when) => {
      globalThis.bring({ type: "eclipse_of_moon", at: when, depth: 3, seen_by: ["mel"] });
      const still = { type: "clock", at: when, from: when, now: when, fired: [] };
      globalThis.bring({ ...still, cause: "restore", snapshot: "monday" });
      globalThis.bring({ ...still, cause: "state" });
    }, at);
    await row(/eclipse of moon[\s\S]*depth: 3 {2}seen_by: \["mel"\]/).waitFor();
    await row(/clock[\s\S]*Snapshot monday restored: Mon, /).waitFor();
    await row(/clock[\s\S]*State replaced: Mon, /).waitFor();
    await row(/eclipse/).click();
    await page.getByRole("heading", { name: "eclipse_of_moon" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("seen_by");
    await page.getByText("1 row", { exact: true }).waitFor();
    await page.getByLabel("Search", { exact: true }).fill("");
    await page.evaluate(
      (when) => globalThis.bring({ type: "clock", at: when, from: when, now: when, fired: [], cause: "reset" }),
      at,
    );
    await row(/clock[\s\S]*Reset to the initial state: Mon, /).waitFor();
    await row(/eclipse/).waitFor({ state: "detached" });
    await close(page);
    await control(url, "DELETE", "/worlds/steered");
  },
};

/** How the server refuses a key that does not hold. */
async function refusal(world) {
  const authorization = `Basic ${btoa("mel@chat.test:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")}`;
  const response = await fetch(`${world}/api/v1/users/me`, { headers: { authorization } });
  return { status: response.status, code: (await response.json()).code };
}

module.exports = { shown };
