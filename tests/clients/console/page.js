"use strict";

// Opens and measures pages of the console.

const assert = require("node:assert/strict");

const PATIENCE_MS = 8_000;

/** Opens a page in a separate browser context; any error in it fails the check. */
async function open(browser, url, { scheme = "light", width = 1280, height = 800 } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      page.faults.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !/^(data|blob):/.test(request.url()))
      page.faults.push(`fetches ${request.url()}`);
  });
  await page.goto(url);
  return page;
}

async function close(page) {
  assert.deepEqual(page.faults, []);
  await page.context().close();
}

const live = (page) => page.locator(".live-row");

/** The time until the page has shown the result of typing a text, or of scrolling: the median of five, measured in the page. */
function fluency(page, text) {
  return page.evaluate(async (typed) => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    await frame();
    const times = [];
    for (let round = 0; round < 5; round += 1) {
      const began = performance.now();
      if (typed === null) {
        const list = document.querySelector(".virtual");
        list.scrollTop = (((round * 7 + 3) % 10) / 10) * list.scrollHeight;
      } else {
        const box = document.querySelector("[data-search]");
        box.value = round % 2 ? "" : typed;
        box.dispatchEvent(new Event("input", { bubbles: true }));
      }
      await frame();
      await frame();
      times.push(performance.now() - began);
    }
    return times.sort((one, other) => one - other)[2];
  }, text);
}

module.exports = { close, fluency, live, open };
