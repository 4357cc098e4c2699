"use strict";

// What the panes of "Act as" show and say: menus.

const assert = require("node:assert/strict");
const { begin, end, message, write } = require("./hands");

const SHORT = 480;

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
};

module.exports = { panes };
