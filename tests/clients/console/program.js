"use strict";

// Starts the program as a server, and browsers for it.

const { spawn } = require("node:child_process");
const { chromium } = require("playwright-core");

const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

const START_MS = 60_000;

/** Starts a server; it is ready when this resolves. */
function serve(binary, options = [], port = "0") {
  const args = ["serve", "--port", port, "--clock", "2026-01-05T09:00:00Z", "--log", "warn", ...options];
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  child.on("exit", () => running.delete(child));
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error("the server does not start"));
    }, START_MS);
    child.on("exit", (status) => reject(new Error(`the server ended with ${status}`)));
    child.stdout.on("data", (data) => {
      const found = String(data).match(/listening on (https?:\/\/\S+)/);
      if (!found) return;
      clearTimeout(late);
      const stop = () =>
        new Promise((ended) => {
          child.on("exit", ended);
          child.kill("SIGTERM");
        });
      resolve({ url: found[1], port: new URL(found[1]).port, stop });
    });
  });
}

async function launch(executablePath) {
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** Makes a call of control. */
async function control(url, method, path, body) {
  const response = await fetch(`${url}/control${path}`, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const reply = await response.json();
  if (reply.result === "error") throw new Error(`${method} ${path}: ${reply.msg}`);
  return reply;
}

/** Makes a request to the public API as a user of the built-in organization. */
async function api(url, handle, method, path, params = {}) {
  const key = `${handle}Key`.padEnd(32, "0");
  const headers = { Authorization: `Basic ${Buffer.from(`${handle}@chat.test:${key}`).toString("base64")}` };
  const form = new URLSearchParams(
    Object.entries(params).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
  const query = method === "GET" && form.size ? `?${form}` : "";
  return (
    await fetch(`${url}/api/v1${path}${query}`, { method, headers, body: method === "GET" ? undefined : form })
  ).json();
}

module.exports = { api, control, launch, serve };
