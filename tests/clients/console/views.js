"use strict";

// What the views say and show, one check for each.

const assert = require("node:assert/strict");
const { close, live, open } = require("./page");
const { api, control, serve } = require("./program");

const NARROW = 390;
/** HTML that would run, load or disturb something if a browser took it as it is. */
const ATTACKS = [
  "<script>attack('script')</script>",
  "<img src=x onerror=\"attack('img')\">",
  "<a href=\"javascript:attack('link')\">a link</a>",
  "<a href=\" java\tscript:attack('spaces')\">a link</a>",
  '<a href="data:text/html,<script>attack(1)</script>">a link</a>',
  "<svg onload=\"attack('svg')\"><script>attack('inner')</script><a href='javascript:attack(1)'><text>x</text></a></svg>",
  "<math><mtext><table><mglyph><style><img src=x onerror=attack('math')>",
  "<noscript><p title=\"</noscript><img src=x onerror=attack('noscript')>\">",
  '<iframe srcdoc="<script>parent.attack(1)</script>"></iframe>',
  '<object data="javascript:attack(1)"></object><embed src="javascript:attack(1)">',
  '<form action="javascript:attack(1)"><button formaction="javascript:attack(1)">Send</button><input autofocus onfocus="attack(1)"></form>',
  "<style>* { display: none }</style><link rel=stylesheet href=//evil.example.com/x.css>",
  '<div onclick="attack(1)" style="position: fixed; inset: 0" class="frame" id="console">a block</div>',
  '<template><img src=x onerror="attack(1)"></template>',
  '<meta http-equiv="refresh" content="0; url=//evil.example.com/"><base href="//evil.example.com/">',
  '<span class="katex" onmouseover="attack(1)"><annotation encoding="x"><img src=x onerror=attack(1)></annotation></span>',
  '<details ontoggle="attack(1)" open>x</details><video src=x onerror="attack(1)"></video>',
  '<span class="emoji emoji-110000" title="<b>">:x:</span><span class="emoji emoji-ffffffffff">:y:</span>',
  `${"<div>".repeat(20_000)}deep`,
  `${"<b>x</b>".repeat(20_000)}`,
];
const ELEMENTS =
  "p br strong em del code pre ul ol li blockquote hr table thead tbody tr th td span div time sub sup u a details summary".split(
    " ",
  );
const ATTRIBUTES = ["href", "target", "rel", "draggable", "class", "title", "start"];

/** Renders HTML as the console shows messages; returns the elements and attributes that came of it. */
async function rendered(page, text) {
  return page.evaluate(async (given) => {
    const { html, render } = await import("/console/files/lib.js");
    const { Rendered } = await import("/console/files/part/rendered.js");
    const box = document.body.appendChild(document.createElement("div"));
    const began = performance.now();
    render(
      html`
        <${Rendered} text=${given} />
      `,
      box,
    );
    const all = [...box.firstElementChild.querySelectorAll("*")];
    const result = {
      took: performance.now() - began,
      tags: [...new Set(all.map((one) => one.localName))],
      names: [...new Set(all.flatMap((one) => one.getAttributeNames()))],
      links: all.flatMap((one) => one.getAttribute("href") ?? []),
      classes: [...new Set(all.map((one) => one.className).filter(Boolean))],
      count: all.length,
      text: box.textContent,
    };
    await new Promise((done) => setTimeout(done, 20));
    box.remove();
    return result;
  }, text);
}

const views = {
  async "let no HTML of a message run, load or disturb anything"({ browser, url }) {
    const page = await open(browser, `${url}/console`);
    await page.evaluate(() => {
      globalThis.attacks = [];
      globalThis.attack = (what) => globalThis.attacks.push(what);
    });
    for (const attack of ATTACKS) {
      const { took, tags, names, links, classes, count } = await rendered(page, attack);
      const what = attack.slice(0, 80);
      assert.deepEqual(
        tags.filter((tag) => !ELEMENTS.includes(tag)),
        [],
        what,
      );
      assert.deepEqual(
        names.filter((name) => !ATTRIBUTES.includes(name)),
        [],
        what,
      );
      assert.ok(links.every((to) => /^(https?|mailto):/.test(to)) && classes.every((one) => /^md-/.test(one)), what);
      assert.ok(count <= 5_000 && took < 2_000, `${what}: ${count} elements in ${took} ms`);
    }
    assert.deepEqual(await page.evaluate(() => globalThis.attacks), []);
    const tex = await rendered(page, '<p><span class="katex"><span style="height: 1em">x</span></span> style="y"</p>');
    assert.equal(tex.text.trim(), 'x style="y"');
    const kept = await rendered(
      page,
      '<p>a <strong>b</strong> <a href="https://example.com/">c</a> <span class="emoji emoji-1f419" title="octopus">:octopus:</span>' +
        '<span class="user-mention" data-user-id="4">@Mel</span></p><ol start="3"><li>d</li></ol>' +
        '<div class="spoiler-block"><div class="spoiler-header"><p>e</p></div><div class="spoiler-content"><p>f</p></div></div>',
    );
    assert.equal(kept.text.replace(/\s+/g, " ").trim(), "a b c 🐙@Meldef");
    assert.deepEqual(kept.links, ["https://example.com/"]);
    assert.ok(["strong", "ol", "details", "summary"].every((tag) => kept.tags.includes(tag)));
    // The browser reports what the policy of the page blocks, also where nothing could ever run or load.
    page.faults = page.faults.filter((fault) => !fault.includes("violates the following Content Security Policy"));
    await close(page);
  },

  async "show messages as clients do, and their source"({ browser, url }) {
    await api(url, "mel", "POST", "/messages", {
      type: "channel",
      to: "general",
      topic: "soup",
      content: "**Soup** for @**Max Mercer** :octopus:\n\n1. one\n2. two",
    });
    const page = await open(browser, `${url}/console/w/default/channels`);
    await page.getByRole("button", { name: /#general/ }).click();
    await page.locator(".channel strong", { hasText: "everyone" }).waitFor();
    await page.locator(".topics").getByRole("button", { name: /^soup/ }).click();
    // The topic has one message; until it is shown, those of the channel are there.
    await page.waitForFunction(() => document.querySelectorAll(".seen .message-text").length === 1);
    const message = page.locator(".seen .message-text");
    await message.locator("strong", { hasText: "Soup" }).waitFor();
    await message.locator(".md-mention", { hasText: "@Max Mercer" }).waitFor();
    assert.match(await message.innerText(), /🐙[\s\S]*one[\s\S]*two/);
    await page.getByRole("button", { name: "Source" }).click();
    await page.getByText("**Soup** for @**Max Mercer** :octopus:").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Source", pressed: true }).click();
    await page.getByRole("link", { name: "Act as" }).click();
    const mel = page.getByLabel("Acting as Mel Marsh");
    await mel.getByText("listening").waitFor();
    const sent = mel.locator(".message", { hasText: "Soup for" });
    await sent.locator("strong").waitFor();
    await sent.getByLabel(/Act on message/).click();
    await mel.getByText("Edit …").click();
    await page.getByLabel("Text").fill(`${await page.getByLabel("Text").inputValue()} __now__`);
    assert.match(await page.getByLabel("Text").inputValue(), /^\*\*Soup\*\* for @\*\*Max Mercer\*\*/);
    await page.getByLabel("Text").fill("~~No soup~~");
    await page.getByRole("button", { name: "Save" }).click();
    await mel.locator("del", { hasText: "No soup" }).waitFor();
    await mel.getByRole("button", { name: "Source" }).click();
    await mel.locator(".message", { hasText: "~~No soup~~" }).waitFor();
    await page.getByLabel("Message as Mel Marsh").fill("A *new* one");
    await page.getByLabel("Message as Mel Marsh").press("Enter");
    await mel.locator(".message", { hasText: "A *new* one" }).waitFor();
    await page.getByLabel("Acting as Max Mercer").locator("em", { hasText: "new" }).waitFor();
    await close(page);
    await control(url, "POST", "/worlds/default/reset", {});
  },

  async "say that a world was never there, and name the nearest"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "checkout" });
    const page = await open(browser, `${url}/console/w/chekout/live`);
    await page.getByRole("heading", { name: "There is no world chekout" }).waitFor();
    assert.equal(await page.getByText("any more").count(), 0);
    assert.equal(await page.getByText("1970").count(), 0);
    await page.getByRole("link", { name: "checkout" }).click();
    await page.getByText("Waiting for the first request").waitFor();
    await page.goto(`${url}/console/w/later/live`);
    await page.getByRole("heading", { name: "There is no world later" }).waitFor();
    await control(url, "POST", "/worlds", { name: "later" });
    await page.getByText("Waiting for the first request").waitFor();
    for (const name of ["%ff", "%E0%A4%A", "%00", "<b>x</b>", "..%2f.."]) {
      await page.goto(`${url}/console/w/${name}/live`);
      await page.getByRole("heading", { name: "There is no world" }).waitFor();
    }
    // The browser itself reports each socket that is refused.
    page.faults = page.faults.filter((fault) => !fault.startsWith("WebSocket connection to"));
    await close(page);
    await control(url, "DELETE", "/worlds/checkout");
    await control(url, "DELETE", "/worlds/later");
  },

  async "open the views by number from the list of worlds"({ browser, url }) {
    const page = await open(browser, `${url}/console`);
    await page.getByRole("link", { name: "default", exact: true }).waitFor();
    await page.keyboard.press("3");
    await page.waitForURL(/\/console\/w\/default\/channels$/);
    await page.getByRole("heading", { name: "Channels" }).waitFor();
    await control(url, "POST", "/worlds", { name: "another" });
    await page.goto(`${url}/console/w/another/people`);
    await page.getByRole("heading", { name: "People" }).waitFor();
    await page.keyboard.press("w");
    await page.getByRole("heading", { name: "Worlds" }).waitFor();
    await page.keyboard.press("8");
    await page.waitForURL(/\/console\/w\/another\/state$/);
    await close(page);
    await control(url, "DELETE", "/worlds/another");
  },

  async "count people alike in the menu and in the view"({ browser, url }) {
    const page = await open(browser, `${url}/console/w/default/people`);
    const counted = await page.getByText(/^\d+ people$/).innerText();
    const link = page.getByLabel("Views").getByRole("link", { name: /People/ });
    assert.equal(await link.locator(".side-count").innerText(), counted.split(" ")[0]);
    await close(page);
  },

  async "report what a client did, with the request one click away"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "reported", clock: "frozen" });
    const page = await open(browser, `${url}/console/w/reported/report`);
    await page.getByText("No clients yet").waitFor();
    await api(`${url}/w/reported`, "mel", "GET", "/users/me?colour=%3Cimg%20src%3Dx%3E");
    await page.getByText("Sent a parameter that is ignored: colour of GET /users/me").waitFor();
    await page.getByText("1 finding", { exact: true }).waitFor();
    await page.getByRole("link", { name: "GET /users/me colour=<img src=x>" }).click();
    await page.locator(".live-row.chosen").filter({ hasText: "/users/me" }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByText("No clients yet").waitFor();
    await close(page);
    await control(url, "DELETE", "/worlds/reported");
  },

  async "write every date in the same way"({ browser, url }) {
    const page = await open(browser, `${url}/console/w/default/pushes`);
    await page.getByRole("button", { name: /Look them up/ }).click();
    const dates = page.getByRole("cell", { name: /\d\d:\d\d:\d\d$/ });
    await dates.first().waitFor();
    for (const date of await dates.allInnerTexts()) assert.match(date, /^[A-Z][a-z]{2}, \d+ [A-Z][a-z]{2} \d{4}, /);
    await close(page);
  },

  async "name equal things that fall due once, with their number"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "queues", fixture: "cast", clock: "frozen" });
    const world = `${url}/w/queues`;
    for (let made = 0; made < 6; made += 1) await api(world, "mel", "POST", "/register", { event_types: ["message"] });
    const page = await open(browser, `${url}/console/w/queues/live`);
    await page.getByRole("button", { name: /^Agenda/ }).click();
    await page.getByText("queue expires (mel) ×6").waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("+1 d: go on").click();
    await page.getByText(/6 things fell due: queue expires( \(mel\))? ×6/).waitFor();
    await live(page)
      .filter({ hasText: /queue expires( \(mel\))? ×6/ })
      .waitFor();
    await close(page);
    await control(url, "DELETE", "/worlds/queues");
  },

  async "show real time next to that of a frozen world"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "timed", clock: "frozen" });
    const page = await open(browser, `${url}/console/w/timed/live`);
    await page.getByText("Waiting for the first request").waitFor();
    await api(`${url}/w/timed`, "mel", "GET", "/users/me");
    await live(page).first().waitFor();
    await page.waitForTimeout(1_200);
    await api(`${url}/w/timed`, "mel", "GET", "/users/me");
    await live(page).nth(1).waitFor();
    const times = await page.locator(".live-real").allInnerTexts();
    const seconds = times.map((text) => {
      const [, hours, minutes, rest] = /^real (\d\d):(\d\d):(\d\d\.\d{3})$/.exec(text) ?? assert.fail(text);
      return Number(hours) * 3600 + Number(minutes) * 60 + Number(rest);
    });
    // A day may end between the two.
    const between = (seconds[1] - seconds[0] + 86_400) % 86_400;
    assert.ok(between > 1.1 && between < 10, `${times}`);
    const worldTimes = await page.locator(".live-time").allInnerTexts();
    assert.equal(worldTimes[0], worldTimes[1]);
    await close(page);
    await control(url, "DELETE", "/worlds/timed");
  },

  async "name the file of an upload"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "files" });
    const { users } = await control(url, "GET", "/worlds/files/users?user=mel");
    const form = new FormData();
    form.append("file", new Blob(["Pizza"]), "menu of today.txt");
    const key = Buffer.from(`${users[0].email}:${users[0].api_key}`).toString("base64");
    const headers = { authorization: `Basic ${key}` };
    await fetch(`${url}/w/files/api/v1/user_uploads`, { method: "POST", headers, body: form });
    const page = await open(browser, `${url}/console/w/files/live`);
    await live(page).first().getByText("menu of today.txt").waitFor();
    await close(page);
    await control(url, "DELETE", "/worlds/files");
  },

  async "name the channel or user that was meant"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "meant" });
    const world = `${url}/w/meant`;
    const send = (params) => api(world, "mel", "POST", "/messages", { topic: "t", content: "c", ...params });
    await send({ type: "stream", to: "enginering" });
    await send({ type: "direct", to: ["maxx@chat.test"] });
    const page = await open(browser, `${url}/console/w/meant/live`);
    for (const [at, name] of ["engineering", "max@chat.test"].entries()) {
      await live(page).nth(at).click();
      await page.getByLabel("Why").getByText(name).waitFor();
    }
    await close(page);
    await control(url, "DELETE", "/worlds/meant");
  },

  async "bring the open view into sight, and mark what is cut off"({ browser, url }) {
    const page = await open(browser, `${url}/console/w/default/state`, { width: NARROW });
    const active = page.locator(".side-link.here");
    await active.waitFor();
    await page.waitForTimeout(100);
    const box = await active.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= NARROW, JSON.stringify(box));
    assert.match(await page.getByLabel("Views").getAttribute("data-more"), /start/);
    await page.goto(`${url}/console/w/default/live`);
    const filters = page.locator(".live-bar");
    await filters.waitFor();
    assert.equal(await filters.getAttribute("data-more"), "end");
    const masked = () => filters.evaluate((element) => getComputedStyle(element).maskImage);
    assert.match(await masked(), /gradient/);
    await filters.evaluate((element) => element.scrollTo(element.scrollWidth, 0));
    await page.locator('.live-bar[data-more="start"]').waitFor();
    assert.equal(await page.locator(".steps").getAttribute("data-more"), "end");
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.locator('.live-bar[data-more=""]').waitFor();
    assert.equal(await masked(), "none");
    await close(page);
  },

  async "show the whole text of each option of a new world"({ browser, url }) {
    for (const width of [1280, NARROW]) {
      const page = await open(browser, `${url}/console`, { width });
      await page.getByRole("button", { name: "New world" }).click();
      const choice = page.getByLabel("What is in it");
      const [shown, wanted] = await choice.evaluate((element) => {
        const probe = document.body.appendChild(document.createElement("span"));
        probe.style.font = getComputedStyle(element).font;
        const widths = [...element.options].map((option) => {
          probe.textContent = option.text;
          return probe.getBoundingClientRect().width;
        });
        probe.remove();
        return [element.clientWidth, Math.max(...widths)];
      });
      // The text has padding around it, and an arrow.
      assert.ok(wanted + 40 <= shown, `${wanted} of ${shown} at ${width}`);
      await close(page);
    }
  },

  async "show what is due on a line of time, and go there"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "due", fixture: "cast", clock: "frozen" });
    const world = `${url}/w/due`;
    const { now } = await control(url, "GET", "/worlds/due/clock");
    for (const later of [3600, 86_400]) {
      const at = Math.ceil(now) + later;
      await api(world, "mel", "POST", "/reminders", { note: "Tea", scheduled_delivery_timestamp: at });
    }
    for (const width of [1280, NARROW]) {
      const page = await open(browser, `${url}/console/w/due/live`, { width });
      const line = page.getByRole("region", { name: "Timeline" });
      await line.getByRole("button").nth(1).waitFor();
      const places = await line
        .getByRole("button")
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
      assert.ok(places[0] < places[1], `${places}`);
      await page.getByText(/^real time/).waitFor({ state: width === NARROW ? "hidden" : "visible" });
      await close(page);
    }
    const page = await open(browser, `${url}/console/w/due/live`);
    await page.getByRole("button", { name: /^reminder .*in 1 h.*: jump/ }).click();
    await page.getByRole("img", { name: /^Fell due: reminder/ }).waitFor();
    assert.ok((await control(url, "GET", "/worlds/due/clock")).now >= now + 3600);
    await close(page);
    await control(url, "DELETE", "/worlds/due");
  },

  async "search the state, open what is found, and mark what changed"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "tree", clock: "frozen" });
    const page = await open(browser, `${url}/console/w/tree/state`);
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.getByPlaceholder("Search keys and values").fill("Mel Marsh");
    await page.getByText(/^\d+ places?$/).waitFor();
    await page.getByRole("button", { name: /users.*full_name Mel Marsh/ }).click();
    await page.locator(".tree .leaf", { hasText: "full_name" }).getByText("Mel Marsh").waitFor();
    const marked = page.locator(".tree .leaf", { hasText: "full_name" }).getByText("changed");
    assert.equal(await marked.count(), 0);
    await api(`${url}/w/tree`, "mel", "PATCH", "/settings", { full_name: "Mel Moor" });
    await page.getByRole("button", { name: "Read again" }).click();
    await marked.waitFor();
    await page.locator(".tree .leaf", { hasText: "full_name" }).getByText("Mel Moor").waitFor();
    await page.getByPlaceholder("Search keys and values").fill("no such text");
    await page.getByText("Nothing is found").waitFor();
    await close(page);
    await control(url, "DELETE", "/worlds/tree");
  },

  async "open the only world, and list several"({ browser, binary }) {
    const server = await serve(binary);
    const page = await open(browser, server.url);
    await page.waitForURL("**/console/w/default/live");
    await page.goto(`${server.url}/console`);
    await page.getByRole("heading", { name: "Worlds" }).waitFor();
    await control(server.url, "POST", "/worlds", { name: "second" });
    await page.goto(server.url);
    await page.getByText("second").first().waitFor();
    assert.equal(new URL(page.url()).pathname, "/console");
    await close(page);
    await server.stop();
  },
};

module.exports = { views };
