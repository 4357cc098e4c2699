"use strict";

// What the panes of "Act as" show and say: menus, the focus, networks, and connections that the browser does not have.

const assert = require("node:assert/strict");
const { arm, begin, composer, end, events, listening, message, pane, played, view, write } = require("./hands");
const { live } = require("./page");
const { api, control, serve } = require("./program");

const SHORT = 480;
/** The most polls that leave a connection to other requests. */
const POLLS_MAX = 5;
/** The time in which the page has counted the polls. */
const COUNTED_MS = 2_000;

const crowded = (page) => page.getByRole("alert").filter({ hasText: "six connections" });

const panes = {
  async "show the whole menu of the last message, wherever it is"({ browser, url }) {
    const page = await begin(browser, url, "menus");
    for (let line = 1; line <= 9; line += 1) {
      await write(page, "Mel Marsh", `Line ${line}`);
      await message(page, "Mel Marsh", `Line ${line}`).waitFor();
    }
    const menu = message(page, "Mel Marsh", "Line 9").getByLabel(/Act on message/);
    for (const height of [800, SHORT]) {
      await page.setViewportSize({ width: 1280, height });
      await menu.click();
      const list = page.locator(".menu-list");
      const { y, height: size } = await list.boundingBox();
      assert.ok(y >= 0 && y + size <= height, `${y} + ${size} of ${height}`);
      for (const item of [list.getByLabel("React with heart"), list.getByRole("button", { name: "Delete" })]) {
        const isInFront = await item.evaluate((element) => {
          const { x, y: top, width, height: tall } = element.getBoundingClientRect();
          return element.contains(document.elementFromPoint(x + width / 2, top + tall / 2));
        });
        assert.ok(isInFront, `all of it is shown at ${height}`);
      }
      await page.keyboard.press("Escape");
    }
    await end(page, url, "menus");
  },

  async "open a text to be changed at its end, and submit it with Ctrl+Enter"({ browser, url }) {
    const page = await begin(browser, url, "at-the-end");
    const dialog = page.locator("dialog");
    await write(page, "Mel Marsh", "One line");
    await message(page, "Mel Marsh", "One line")
      .getByLabel(/Act on message/)
      .click();
    await pane(page, "Mel Marsh").getByRole("button", { name: "Edit …" }).click();
    await dialog.getByText("Enter makes a new line, Ctrl+Enter (Cmd+Enter on a Mac) saves it.").waitFor();
    await page.keyboard.type(", longer");
    await page.keyboard.press("Enter");
    await page.keyboard.type("and another");
    assert.equal(await page.getByLabel("Text").inputValue(), "One line, longer\nand another");
    await page.keyboard.press("Control+Enter");
    await dialog.waitFor({ state: "detached" });
    await message(page, "Max Mercer", "One line, longer").waitFor();
    await composer(page, "Mel Marsh").fill("Later");
    await pane(page, "Mel Marsh").getByLabel("Schedule a message").click();
    await dialog.getByText("schedules it.").waitFor();
    await page.keyboard.type(" today");
    await page.keyboard.press("Meta+Enter");
    await dialog.waitFor({ state: "detached" });
    const { state } = await control(url, "GET", "/worlds/at-the-end/state");
    assert.match(JSON.stringify(state), /"Later today"/);
    await pane(page, "Mel Marsh").getByRole("button", { name: "New conversation" }).click();
    await dialog.getByLabel("Channel").selectOption({ label: "general" });
    await dialog.getByLabel("Message", { exact: true }).press("Control+Enter");
    assert.equal(await dialog.count(), 1, "an empty message is not sent");
    await page.keyboard.type("To a new topic");
    await page.keyboard.press("Control+Enter");
    await dialog.waitFor({ state: "detached" });
    await message(page, "Mel Marsh", "To a new topic").waitFor();
    await end(page, url, "at-the-end");
  },

  async "call the empty topic as the level does, in each view"({ browser, url }) {
    for (const [name, level, shown, not] of [
      ["empty-247", 247, "(no topic)", "general chat"],
      ["empty-newest", null, "general chat", "(no topic)"],
    ]) {
      const page = await begin(browser, url, name, level === null ? {} : { feature_level: level });
      const topic = level === null ? "" : "(no topic)";
      await api(`${url}/w/${name}`, "mel", "POST", "/messages", {
        type: "stream",
        to: "general",
        topic,
        content: "?!",
      });
      await pane(page, "Mel Marsh").locator(".place", { hasText: shown }).waitFor();
      await view(page, "Channels");
      await page.getByRole("button", { name: /#general/ }).click();
      await page.locator(".topics button", { hasText: shown }).waitFor();
      assert.equal(await page.locator(".topics button", { hasText: not }).count(), 0);
      await page.locator(".message-head", { hasText: shown }).first().waitFor();
      await end(page, url, name);
    }
  },

  async "give the composer the focus after an upload, unless somebody writes elsewhere"({ browser, url }) {
    const page = await begin(browser, url, "upload");
    const note = (name) => ({ name, mimeType: "text/plain", buffer: Buffer.from("Hi") });
    const attach = async (name) => {
      const chooser = page.waitForEvent("filechooser");
      await pane(page, "Mel Marsh").getByLabel("Upload a file").click();
      return (await chooser).setFiles(note(name));
    };
    const isFocused = (name) => composer(page, name).evaluate((element) => element === document.activeElement);
    await attach("first.txt");
    await page.waitForFunction(() => document.activeElement?.value?.startsWith("[first.txt]("));
    await page.keyboard.type(" for you");
    assert.match(await composer(page, "Mel Marsh").inputValue(), /\) for you$/);
    // A refused one as well.
    await control(url, "POST", "/worlds/upload/faults", {
      match: { user: "mel", path: "/user_uploads" },
      effect: { error: { status: 500 } },
    });
    await attach("second.txt");
    await page.getByText("Last: mel POST /user_uploads refused, 500").waitFor();
    assert.ok(await isFocused("Mel Marsh"));
    await composer(page, "Max Mercer").focus();
    await pane(page, "Mel Marsh").locator("input[type=file]").setInputFiles(note("third.txt"));
    await page.getByText("3 steps", { exact: true }).waitFor();
    assert.ok(await isFocused("Max Mercer"));
    await end(page, url, "upload");
  },

  async "take what a person wrote for read by them, where the level has a parameter for it"({ browser, url, binary }) {
    for (const level of [512, 235]) {
      const page = await begin(browser, url, "own", { feature_level: level });
      await write(page, "Mel Marsh", "Read by me");
      await message(page, "Max Mercer", "Read by me").waitFor();
      const unread = (name) => pane(page, name).locator(".message.unread", { hasText: "Read by me" }).count();
      await message(page, "Mel Marsh", "Read by me").waitFor();
      assert.deepEqual([await unread("Mel Marsh"), await unread("Max Mercer")], [level < 236 ? 1 : 0, 1]);
      const text = await played(page, binary);
      assert.equal(/^read_by_sender: true$/m.test(text), level >= 236);
      await end(page, url, "own");
    }
  },

  async "cut a long refusal off in its toast, show all of it to the pointer, and drop it in time"({ browser, url }) {
    const page = await begin(browser, url, "long");
    const msg = "This is refused for many reasons, of which each has its words. ".repeat(8).trim();
    await control(url, "POST", "/worlds/long/faults", {
      match: { user: "mel", path: "/messages" },
      effect: { error: { status: 400, code: "BAD_REQUEST", msg } },
    });
    await write(page, "Mel Marsh", "Hello?");
    const toast = page.locator(".toast.bad");
    await toast.waitFor();
    const began = performance.now();
    const height = async () => (await toast.boundingBox()).height;
    assert.ok((await height()) < 130, `${await height()}`);
    await toast.hover();
    assert.ok((await height()) > 200 && (await height()) < 300, `${await height()}`);
    await page.mouse.move(0, 0);
    await view(page, "Live");
    await toast.waitFor({ state: "detached", timeout: 11_000 });
    assert.ok(performance.now() - began < 10_500);
    await end(page, url, "long");
  },

  async "say once that a network is offline, and that there is no reply"({ browser, url }) {
    const page = await begin(browser, url, "once");
    await arm(page, "Max Mercer", "Network offline");
    await write(page, "Mel Marsh", "Hello?");
    await events(page, "Max Mercer")
      .getByText(/no reply ×[3-9]/)
      .waitFor();
    assert.equal(await events(page, "Max Mercer").getByText("no reply").count(), 1);
    await view(page, "Faults");
    const row = page.getByLabel("Networks and rate limits").getByRole("listitem").filter({ hasText: "max" });
    await row.waitFor();
    assert.match((await row.innerText()).trim(), /^max offline$/);
    await view(page, "Live");
    await live(page)
      .filter({ hasText: /max: offline(?!, loses)/ })
      .waitFor();
    await end(page, url, "once");
  },

  async "say that polls take all connections of the browser, and what helps"({ browser, url }) {
    const page = await begin(browser, url, "crowded");
    await page.waitForTimeout(COUNTED_MS);
    assert.equal(await crowded(page).count(), 0);
    const address = `${url}/console/w/crowded/act`;
    const others = [];
    for (let tab = 2; tab <= 3; tab += 1) {
      const other = await page.context().newPage();
      await other.goto(address);
      others.push(other);
    }
    for (const one of [page, ...others]) await crowded(one).waitFor({ timeout: 20_000 });
    assert.match(await crowded(page).innerText(), new RegExp(`^${POLLS_MAX + 1} clients of Act as poll`));
    const elsewhere = await crowded(page).getByRole("link").getAttribute("href");
    assert.equal(elsewhere, address.replace("127.0.0.1", "localhost"));
    const third = others.pop();
    await third.close();
    await crowded(page).waitFor({ state: "detached" });
    // The remedy: connections to another name are others.
    const named = await page.context().newPage();
    await named.goto(elsewhere);
    await listening(named);
    await write(named, "Mel Marsh", "From another name");
    for (const one of [page, ...others, named]) await message(one, "Max Mercer", "From another name").waitFor();
    assert.equal(await crowded(named).count(), 0);
    await named.close();
    for (const other of others) await other.close();
    await end(page, url, "crowded");
  },

  async "let more people poll over HTTPS, whose requests share a connection"({ browser, binary }) {
    const server = await serve(binary, ["--tls"]);
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const pages = [];
    for (let tab = 1; tab <= 4; tab += 1) {
      const page = await context.newPage();
      await page.goto(`${server.url}/console/w/default/act`);
      await listening(page);
      pages.push(page);
    }
    await write(pages.at(-1), "Mel Marsh", "To all tabs");
    for (const page of pages) await message(page, "Max Mercer", "To all tabs").waitFor();
    await pages[0].waitForTimeout(COUNTED_MS);
    assert.equal(await crowded(pages[0]).count(), 0);
    await context.close();
    await server.stop();
  },
};

module.exports = { panes };
