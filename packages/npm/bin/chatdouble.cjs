#!/usr/bin/env node
"use strict";
// `npx chatdouble …`: runs the program of this platform, and exits with its status.

const { spawn } = require("node:child_process");
const os = require("node:os");
const { binary } = require("../dist/cjs/binary.cjs");

const options = process.argv.slice(2);
const serves = options[0] === undefined || options[0] === "serve" || options[0].startsWith("-");
const environment = { ...process.env };
// A launcher that is killed can't pass the signal on.
if (serves && process.platform !== "win32") environment.CHATDOUBLE_EXIT_WITH_PROCESS ??= String(process.pid);

let child;
try {
  child = spawn(binary(), options, { stdio: "inherit", env: environment });
} catch (error) {
  fail(error);
}
child.on("error", fail);
// A terminal sends Ctrl-C to both processes; the program decides when to end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("exit", (status, signal) => {
  process.exitCode = status ?? 128 + os.constants.signals[signal];
});

function fail(error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}
