"use strict";

// What the console remembers of what is done in it: the exported story, and the order and names in Live.

const assert = require("node:assert/strict");
const { arm, assertOrder, begin, end, listening, message, pane, played, view, write } = require("./hands");
const { close, live, open } = require("./page");
const { api, control } = require("./program");

const NARROW = 390;

const stories = {
  async "export faults, networks, jumps and snapshots with what they met, so that it plays"({ browser, url, binary }) {
    await control(url, "POST", "/worlds", { name: "story", fork_of: "default" });
    const page = await open(browser, `${url}/console/w/story/faults`);
    // What is in force when the recording begins belongs to it.
    await page.getByLabel("Who").selectOption({ label: "Mel Marsh" });
    await page.getByLabel("Operation or files").fill("/drafts");
    await page.getByRole("button", { name: "Arm it" }).click();
    await page.getByRole("row", { name: /fault-1 armed/ }).waitFor();
    await view(page, "Act as");
    await listening(page);
    await arm(page, "Mel Marsh", "Lose the reply to the next send");
    await page.getByText("1 step", { exact: true }).waitFor();
    await write(page, "Mel Marsh", "Did it arrive?");
    await page.getByText("Last: mel POST /messages, no reply").waitFor();
    await pane(page, "Max Mercer").locator(".message", { hasText: "Did it arrive?" }).waitFor();
    // Twice the same, as a client sends it that got no reply.
    await page.waitForTimeout(1_100);
    await page.getByLabel("Message as Mel Marsh").press("Enter");
    await page.getByText("3 steps").waitFor();
    await arm(page, "Mel Marsh", "Next send is rate-limited");
    await write(page, "Mel Marsh", "Too fast");
    await page.getByText("Last: mel POST /messages refused, 429").waitFor();
    await arm(page, "Max Mercer", "Next poll loses its queue");
    await write(page, "Mel Marsh", "Are you there?");
    await page.getByLabel("Events of Max Mercer").getByText("queue lost, registering again").waitFor();
    await pane(page, "Max Mercer").locator(".message", { hasText: "Are you there?" }).waitFor();
    await arm(page, "Mel Marsh", "Network wifi");
    await page.getByLabel("World: snapshots, fork, reset").click();
    await page.getByText("Take a snapshot …").click();
    await page.getByLabel("Name").fill("calm");
    await page.getByRole("button", { name: "Take it" }).click();
    await page.getByText("Snapshot calm taken").waitFor();
    await page.getByLabel("+1 h: go on").click();
    await write(page, "Mel Marsh", "An hour later");
    await pane(page, "Max Mercer").locator(".message", { hasText: "An hour later" }).waitFor();
    await page.getByLabel("World: snapshots, fork, reset").click();
    await page.getByText("Restore calm").click();
    await page.getByText("Back at calm").waitFor();
    await listening(page);
    await pane(page, "Mel Marsh").locator(".message", { hasText: "An hour later" }).waitFor({ state: "detached" });
    await write(page, "Mel Marsh", "Back again");
    await pane(page, "Max Mercer").locator(".message", { hasText: "Back again" }).waitFor();
    const text = await played(page, binary);
    assertOrder(text, [
      'POST /faults {"match":{"user":"mel@chat.test","path":"/drafts"}',
      'POST /faults {"match":{"method":"POST","path":"/messages","user":"mel@chat.test"},"times":1,"effect":{"drop":"after"}}',
      "content: Did it arrive?",
      "reply none",
      "content: Did it arrive?",
      '"effect":{"rate_limit":{"retry_after":5}}',
      "content: Too fast",
      "reply 429",
      '"effect":{"lose_queue":true}',
      "reply 400",
      'POST /network {"profile":"wifi","user":"mel@chat.test"}',
      'POST /snapshots {"name":"calm"}',
      "clock +1h",
      "An hour later",
      "POST /snapshots/calm/restore",
      "Back again",
    ]);
    await close(page);
    await control(url, "DELETE", "/worlds/story");
  },

  async "export texts of several lines, and name a message whose reply was lost, so that it plays"({
    browser,
    url,
    binary,
  }) {
    const page = await begin(browser, url, "texts");
    const lines = "one\n\n    two\nthree";
    await write(page, "Mel Marsh", lines);
    await message(page, "Max Mercer", "three").waitFor();
    await page.getByText("Last: mel POST /messages").waitFor();
    await write(page, "Mel Marsh", "    code line");
    await message(page, "Max Mercer", "code line").waitFor();
    await arm(page, "Mel Marsh", "Lose the reply to the next send");
    await write(page, "Mel Marsh", "Did it arrive?");
    await page.getByText("Last: mel POST /messages, no reply").waitFor();
    await message(page, "Max Mercer", "Did it arrive?")
      .getByLabel(/Act on message/)
      .click();
    await pane(page, "Max Mercer").getByRole("button", { name: "React with heart" }).click();
    await page.getByText("Last: max POST /messages").waitFor();
    const text = await played(page, binary);
    assertOrder(text, [
      "content:\n  one\n\n      two\n  three\n",
      "content:\n      code line\n",
      '"id":"{{message3 := int}}"',
      "POST /messages/{{message3}}/reactions",
    ]);
    await end(page, url, "texts");
  },

  async "export faults by chance and for everybody as what they did, so that it plays"({ browser, url, binary }) {
    await control(url, "POST", "/worlds", { name: "chance", fork_of: "default" });
    const page = await open(browser, `${url}/console/w/chance/act`);
    await listening(page);
    await view(page, "Faults");
    await page.getByRole("button", { name: "Offline", exact: true }).click();
    await page.getByRole("row", { name: /fault-1 armed/ }).waitFor();
    await view(page, "Act as");
    await write(page, "Mel Marsh", "Nobody hears this");
    await page.getByText("Last: mel POST /messages, no reply").waitFor();
    await page.getByText("mel: no reply").first().waitFor();
    assert.equal(await page.getByText("Failed to fetch").count(), 0);
    await view(page, "Faults");
    await page.getByRole("button", { name: "Remove all" }).click();
    const limits = page.getByRole("group", { name: "Rate limits" });
    await page.getByLabel("For these users").selectOption({ label: "Mel Marsh" });
    await limits.getByRole("button", { name: "1 request in 30 s" }).click();
    await page.getByText("mel 1 requests in 30 s").waitFor();
    await page.getByRole("group", { name: "Networks" }).getByRole("button", { name: "edge" }).click();
    await page.getByText(/mel edge, 300 ms ± 30/).waitFor();
    await page.getByLabel("End the network of mel").click();
    await page.getByText(/mel edge/).waitFor({ state: "detached" });
    await view(page, "Act as");
    await pane(page, "Max Mercer").getByText("listening").waitFor();
    for (const round of [1, 2]) await write(page, "Mel Marsh", `Round ${round}`);
    await page.getByText(/refused, 429/).waitFor();
    const text = await played(page, binary);
    assertOrder(text, [
      "Here fault-1 was armed",
      'POST /faults {"match":{"user":"mel"},"times":1,"effect":{"drop":"before"}}',
      "Nobody hears this",
      "reply none",
      "DELETE /faults",
      'POST /rate_limit {"requests":1,"seconds":30,"user":"mel@chat.test"}',
      'POST /network {"profile":"edge","user":"mel@chat.test"}',
      "DELETE /network?user=mel%40chat.test",
      "reply 429",
    ]);
    await close(page);
    await control(url, "DELETE", "/worlds/chance");
  },

  async "say in Live that a snapshot was restored, after the jump that it undid"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "back", fixture: "cast", clock: "2026-01-05T09:00:00Z" });
    await control(url, "POST", "/worlds/back/snapshots", { name: "monday" });
    const page = await open(browser, `${url}/console/w/back/live`);
    await page.getByText("Waiting for the first request").waitFor();
    await page.getByLabel("+1 d: go on").click();
    await live(page)
      .filter({ hasText: /Mon, .*→ Tue/ })
      .waitFor();
    await page.getByLabel("World: snapshots, fork, reset").click();
    await page.getByText("Restore monday").click();
    await live(page).filter({ hasText: "Snapshot monday restored" }).waitFor();
    await api(`${url}/w/back`, "mel", "GET", "/users/me");
    await live(page).nth(2).waitFor();
    await page.waitForTimeout(400);
    const rows = await live(page).allInnerTexts();
    assert.match(rows[0], /Mon, .*→\s*Tue/);
    assert.match(rows[1], /Snapshot monday restored: Tue, .*→\s*Mon/);
    assert.match(rows[2], /\/users\/me/);
    // Whoever looks at all worlds in between finds everything again.
    await page.keyboard.press("w");
    await page.getByRole("heading", { name: "Worlds" }).waitFor();
    await api(`${url}/w/back`, "mel", "POST", "/messages", {
      type: "channel",
      to: "general",
      topic: "t",
      content: "Hm",
    });
    await page.goBack();
    await live(page).filter({ hasText: "Hm" }).nth(1).waitFor();
    assert.deepEqual((await live(page).allInnerTexts()).slice(0, 3), rows);
    assert.equal(
      await live(page)
        .filter({ hasText: /to \d+ users/ })
        .count(),
      1,
      "the event is below its request",
    );
    await close(page);
    await control(url, "DELETE", "/worlds/back");
  },

  async "leave Live while it scrolls without an error"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "scrolled" });
    for (let sent = 0; sent < 200; sent += 1) await fetch(`${url}/w/scrolled/api/v1/server_settings`);
    const page = await open(browser, `${url}/console/w/scrolled/live`);
    for (let round = 0; round < 4; round += 1) {
      await live(page).first().waitFor();
      await page.evaluate(async () => {
        const list = document.querySelector(".virtual");
        list.scrollTop = list.scrollTop > 100 ? 0 : 3_000;
        list.dispatchEvent(new Event("scroll"));
        document.querySelector('a[href$="/people"]').click();
        await new Promise((done) => setTimeout(done, 50));
        list.dispatchEvent(new Event("scroll"));
      });
      await page.getByRole("heading", { name: "People" }).waitFor();
      await view(page, "Live");
    }
    await close(page);
    await control(url, "DELETE", "/worlds/scrolled");
  },

  async "name its own requests, and leave them out of the report"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "named", fork_of: "default" });
    const page = await open(browser, `${url}/console/w/named/act`);
    await listening(page);
    await write(page, "Mel Marsh", "From the console");
    await pane(page, "Max Mercer").locator(".message", { hasText: "From the console" }).waitFor();
    await api(`${url}/w/named`, "mel", "GET", "/users/me");
    await view(page, "Live");
    await page.getByLabel("Client", { exact: true }).selectOption("chatdouble-console");
    await live(page).filter({ hasText: "From the console" }).first().waitFor();
    assert.equal(
      await page
        .getByLabel("Client", { exact: true })
        .getByText(/Mozilla/)
        .count(),
      0,
    );
    await view(page, "Report");
    await page
      .getByText("node, ")
      .or(page.getByRole("heading", { name: /node/ }))
      .first()
      .waitFor();
    assert.equal(await page.locator(".report-client").count(), 1);
    await close(page);
    await control(url, "DELETE", "/worlds/named");
  },

  async "show the time, the text and the receivers of each row in a narrow window"({ browser, url }) {
    await control(url, "POST", "/worlds", { name: "narrow", fixture: "cast", clock: "2026-01-05T09:00:00Z" });
    const message = { type: "channel", to: "general", topic: "lunch", content: "Soup?" };
    const page = await open(browser, `${url}/console/w/narrow/live`, { width: NARROW });
    await page.getByText("Waiting for the first request").waitFor();
    await api(`${url}/w/narrow`, "mel", "POST", "/messages", message);
    await live(page).nth(1).waitFor();
    const [request, event] = await live(page).evaluateAll((rows) =>
      rows.map((row) => {
        const shown = (name) => row.querySelector(name)?.getBoundingClientRect();
        const size = (box) => box && [Math.round(box.width), Math.round(box.height)];
        return [".live-time", ".live-words", ".live-path", ".live-to"].map((name) => size(shown(name)) ?? [0, 0]);
      }),
    );
    assert.ok(request[0][0] >= 40 && request[1][0] > 150 && request[2][0] > 60, `${request}`);
    assert.ok(event[1][0] > 150 && event[3][0] > 30, `${event}`);
    await page.getByText("Soup?").first().waitFor();
    await close(page);
    await control(url, "DELETE", "/worlds/narrow");
  },

  async "keep the agenda in sight, toasts off the composers, and dates in one line"({ browser, url }) {
    const name = "A very long name of a person who will become a full member";
    await control(url, "POST", "/worlds", { name: "room", fixture: "cast", clock: "2026-01-05T09:00:00Z" });
    const world = `${url}/w/room`;
    await api(world, "mel", "PATCH", "/settings", { full_name: name });
    await api(world, "mel", "POST", "/register", { event_types: ["message"] });
    await api(world, "mel", "GET", "/users/me?colour=1");
    let page = await open(browser, `${url}/console/w/room/live`);
    const agenda = await page.getByRole("button", { name: /^Agenda/ }).boundingBox();
    const menu = await page.getByLabel("World: snapshots, fork, reset").boundingBox();
    assert.ok(agenda.x + agenda.width <= menu.x, JSON.stringify([agenda, menu]));
    assert.equal(await page.locator(".steps").getAttribute("data-more"), "");
    await view(page, "Act as");
    await pane(page, name).getByText("listening").waitFor();
    for (let round = 0; round < 5; round += 1) await arm(page, name, "Flaky 30 %");
    await page.locator(".toast", { hasText: "×5" }).waitFor();
    assert.equal(await page.locator(".toast").count(), 1, "equal ones are one");
    const toast = await page.locator(".toast").boundingBox();
    for (const composer of await page.locator(".composer").all()) {
      const box = await composer.boundingBox();
      const isApart = toast.x + toast.width <= box.x || box.x + box.width <= toast.x || toast.y >= box.y + box.height;
      assert.ok(isApart, JSON.stringify([toast, box]));
    }
    await close(page);
    page = await open(browser, `${url}/console/w/room/report`, { width: NARROW });
    const date = page.locator(".report-finding .number", { hasText: "2026" }).first();
    await date.waitFor();
    assert.ok((await date.boundingBox()).height < 24, "a date is in one line");
    assert.match(
      await page
        .locator(".report-finding p", { hasText: /^\s*Why/ })
        .first()
        .innerText(),
      /^Why \S/,
    );
    assert.match(await page.getByLabel("World: snapshots, fork, reset").innerText(), /World/);
    await page.getByLabel("World: snapshots, fork, reset").click();
    const list = await page.locator(".menu-list").boundingBox();
    assert.ok(list.x >= 0 && list.x + list.width <= NARROW, `the menu is cut off: ${JSON.stringify(list)}`);
    const time = await page.locator(".time").boundingBox();
    assert.ok(list.y < time.y + time.height + 24, "the menu is next to the time");
    await close(page);
    await control(url, "DELETE", "/worlds/room");
  },
};

module.exports = { stories };
