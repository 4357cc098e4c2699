"use strict";

// What others do to a world by control while the console records: it is in the story, or named as not in it.

const assert = require("node:assert/strict");
const { assertOrder, listening, pane, played, write } = require("./hands");
const { close, open } = require("./page");
const { control } = require("./program");

const message = (page, name, text) => pane(page, name).locator(".message", { hasText: text });

async function begin(browser, url, name) {
  await control(url, "POST", "/worlds", { name });
  const page = await open(browser, `${url}/console/w/${name}/act`);
  await listening(page);
  const steer = (method, path, body) => control(url, method, `/worlds/${name}${path}`, body);
  const end = async () => {
    await close(page);
    await control(url, "DELETE", `/worlds/${name}`);
  };
  return { page, steer, end };
}

async function said(page, binary) {
  let omitted = "";
  const text = await played(page, binary, async () => {
    await page.locator(".export").waitFor();
    const alert = page.locator("dialog").getByRole("alert");
    if (await alert.count()) omitted = await alert.innerText();
  });
  return { text, omitted };
}

const steered = {
  async "name the feature level of the newest world in the story"({ browser, url, binary }) {
    const { page, end } = await begin(browser, url, "newest");
    const { feature_level: newest } = await control(url, "GET", "/health");
    await write(page, "Mel Marsh", "As of today");
    await message(page, "Max Mercer", "As of today").waitFor();
    const { text } = await said(page, binary);
    assertOrder(text, ["```world\n", `feature_level: ${newest}\n`, "content: As of today"]);
    await end();
  },
};

module.exports = { steered };
