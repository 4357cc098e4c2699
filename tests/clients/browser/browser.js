"use strict";

// A browser, and a page for it.

const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { chromium } = require("playwright-core");

/** Starts a browser; further arguments go to the browser. */
function launch(executablePath, further = []) {
  return chromium.launch({
    executablePath,
    // Without the sandbox, which root in a container can't use, and without calls to other servers.
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...further,
    ],
  });
}

/** Serves the page on a different port, which makes it another origin. */
function servePage(port) {
  const types = { ".html": "text/html", ".js": "text/javascript" };
  const pages = http.createServer((request, response) => {
    const file = path.join(__dirname, path.basename(request.url));
    if (!["/page.html", "/page.js"].includes(request.url)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "Content-Type": types[path.extname(file)] }).end(fs.readFileSync(file));
  });
  return new Promise((resolve) => {
    pages.listen(port, "127.0.0.1", () => resolve(`http://127.0.0.1:${pages.address().port}`));
  });
}

module.exports = { launch, servePage };
