/** Starts a server as a child of this process. */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "./binary.cjs";
import { ChatdoubleError } from "./error.js";
import { Server } from "./server.js";

/** Options of `chatdouble serve`, in camel case; options that are not listed here are passed on too. */
export interface StartOptions {
  /** `real` (the default), `frozen`, or an instant at which it is frozen. */
  clock?: "real" | "frozen" | (string & {}) | Date;
  /** A built-in fixture's name, or a file. */
  fixture?: string;
  /** The feature level of the world `default`. */
  featureLevel?: number;
  /** `neutral`, `zulip` or a file. */
  dialect?: string;
  /** The seed of all random values. */
  seed?: number;
  /** A free port by default. */
  port?: number;
  host?: string;
  controlToken?: string;
  corsOrigin?: string;
  noRootWorld?: boolean;
  worldTtl?: number | string;
  hostName?: string | string[];
  tls?: boolean;
  tlsCert?: string;
  tlsKey?: string;
  tlsCaFile?: string;
  tlsName?: string | string[];
  /** The level of messages on standard error; `warn` by default. */
  log?: string;
  [option: string]: unknown;
}

/** How much of standard error is kept for the message of a failed start, in characters. */
const MAX_ERROR_OUTPUT = 10_000;

/** The command line of `serve` with these options. */
export function commandLine(options: StartOptions): string[] {
  const { controlToken: _inEnvironment, ...given } = options;
  const all: StartOptions = { port: 0, log: "warn", ...given };
  return Object.entries(all).flatMap(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || value === null || value === false) return [];
    if (value === true) return [option];
    const values = Array.isArray(value) ? value : [value];
    return values.map((one) => `${option}=${one instanceof Date ? one.toISOString() : one}`);
  });
}

/** The environment of a server with these options. A token goes here, since process lists do not show it. */
export function environment(options: StartOptions): NodeJS.ProcessEnv {
  const token = options.controlToken === undefined ? {} : { CHATDOUBLE_CONTROL_TOKEN: options.controlToken };
  return { ...process.env, ...token };
}

/** Starts a server that ends with this process, however the process ends. */
export async function startServer(options: StartOptions = {}): Promise<Server> {
  const secrets = options.tls && !options.tlsCaFile ? mkdtempSync(join(tmpdir(), "chatdouble-ca-")) : undefined;
  const tlsCaFile = secrets ? join(secrets, "ca.pem") : options.tlsCaFile;
  const line = commandLine({ ...options, tlsCaFile, exitWithStdin: true });
  const child = spawn(binary(), ["serve", ...line], { stdio: ["pipe", "pipe", "pipe"], env: environment(options) });
  child.stdin!.on("error", () => {});
  try {
    const url = await ready(child);
    letGo(child);
    const ca = tlsCaFile && url.startsWith("https:") ? readFileSync(tlsCaFile, "utf8") : undefined;
    const token = options.controlToken ?? process.env["CHATDOUBLE_CONTROL_TOKEN"];
    return new Server({ url, controlToken: token, ca }, () => stop(child));
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    if (secrets) rmSync(secrets, { recursive: true });
  }
}

/** The base URL that a server prints when it is ready to answer. */
export function ready(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let [output, errorOutput] = ["", ""];
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const url = /listening on (https?:\/\/\S+)\n/.exec(output)?.[1];
      if (url) resolve(url);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errorOutput = (errorOutput + text).slice(-MAX_ERROR_OUTPUT);
    });
    child.on("error", (error) => reject(new ChatdoubleError(`chatdouble can't be started: ${error.message}`)));
    child.on("close", (status) => {
      reject(new ChatdoubleError(errorOutput.trim() || `chatdouble ended with status ${status} before it was ready`));
    });
  });
}

/** Lets this process end without waiting for the server, which ends when its standard input is closed. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?: () => void } | null)?.unref?.();
  child.stdout!.resume();
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const ended = once(child, "exit");
  child.stdin!.end();
  child.kill("SIGTERM");
  const [status] = await ended;
  if (status === 3) throw new ChatdoubleError("an invariant of a world was broken: this run proves nothing");
}
