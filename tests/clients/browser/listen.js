"use strict";

// A web client of another origin in a real browser, as mel: prints the text of each message that its page receives.

const { launch, servePage } = require("./browser");

const server = process.argv[process.argv.length - 1];
const browser = process.argv[process.argv.indexOf("--browser") + 1];

async function main() {
  const page = await (await launch(browser)).newPage();
  await page.exposeFunction("printText", (text) => console.log(text));
  await page.goto(`${await servePage(0)}/page.html`);
  await page.evaluate(
    ([...given]) => printMessages(...given),
    [server, "mel@chat.test:melKey00000000000000000000000000"],
  );
}

main().catch((error) => {
  console.log(`not ok - the page ended: ${error.stack}`);
  process.exit(1);
});
