/** Starts a server as a child of this process. */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "./binary.cjs";
import { ChatdoubleError } from "./error.js";
import { checkKeys, START_OPTIONS } from "./keys.js";
import { Server } from "./server.js";

/** Options of `chatdouble serve`, in camel case. */
export interface StartOptions {
  /** `real` (the default), `frozen`, or an instant at which the clock is frozen. */
  clock?: "real" | "frozen" | (string & {}) | Date;
  /** The token that control requires. */
  controlToken?: string;
  /** The origin of web pages that may call the API; `*` for all (the default). */
  corsOrigin?: string;
  /** `neutral` (the default), `zulip` or a file. */
  dialect?: "neutral" | "zulip" | (string & {});
  /** The feature level of the world `default`; the newest by default. */
  featureLevel?: number;
  /** A built-in fixture's name, or a file. */
  fixture?: string;
  /** The address to listen on; both loopback families by default. */
  host?: string;
  /** Names at which the server gives out keys, as development servers do. */
  hostName?: string | string[];
  /** The level of messages on standard error; `warn` by default. */
  log?: "off" | "error" | "warn" | "info" | "debug" | "trace";
  /** Whether there is no world at the root, as on a server of many organizations. */
  noRootWorld?: boolean;
  /** Whether the console opens in the browser of this desk. */
  open?: boolean;
  /** The port to listen on; a free one by default. */
  port?: number;
  /** A file to which the server writes its port. */
  portFile?: string;
  /** The seed of all random values. */
  seed?: number;
  /** A file from which the default world is read where it exists, and to which it is written. */
  state?: string;
  /** How often that file is written while the world changes: seconds (30 by default), or a span; 0: only at the end. */
  stateEvery?: number | string;
  /** Whether the server speaks HTTPS, with a certificate that it makes. */
  tls?: boolean;
  /** A file to which the server writes the certificate that clients have to trust (PEM). */
  tlsCaFile?: string;
  /** A file with the certificate of the server (PEM). */
  tlsCert?: string;
  /** A file with the private key of that certificate (PEM). */
  tlsKey?: string;
  /** Further names and addresses for which the certificate that the server makes is valid. */
  tlsName?: string | string[];
  /** Where outgoing webhooks may post: `loopback` (the default) or `anywhere`. */
  webhooks?: "loopback" | "anywhere";
  /** How long worlds may get no request before they are deleted: seconds, or a span such as `1d2h30m`. */
  worldTtl?: number | string;
}

/** Options that this package gives by itself. */
interface OwnOptions {
  exitWithStdin?: boolean;
  exitWithProcess?: number;
}

const PREFIX = "CHATDOUBLE_";
/** How much of standard error is kept for the message of a failed start, in characters. */
const MAX_ERROR_OUTPUT = 10_000;

/** The command line of `serve` with these options. */
export function commandLine(options: StartOptions & OwnOptions): string[] {
  const { controlToken: _inEnvironment, ...given } = options;
  const all = { port: 0, log: "warn", ...given };
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
  checkKeys("startServer", options, START_OPTIONS);
  const secrets = options.tls && !options.tlsCaFile ? mkdtempSync(join(tmpdir(), "chatdouble-ca-")) : undefined;
  const tlsCaFile = secrets ? join(secrets, "ca.pem") : options.tlsCaFile;
  const line = commandLine({ ...options, tlsCaFile, exitWithStdin: true });
  const child = spawn(binary(), ["serve", ...line], {
    stdio: ["pipe", "pipe", "pipe"],
    env: environment(options),
    // In its own process group, which the Ctrl-C of a terminal does not reach: what is done after it still finds the server.
    detached: true,
    windowsHide: true,
  });
  child.stdin!.on("error", () => {});
  try {
    const url = await ready(child, options);
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

/** What comes before the text of a line that a server writes: the time, the severity and the place in its source. */
const PLACE = /^\S+Z +[A-Z]+ [\w:]+: /gm;

/** What a server said, without times and places in its source. */
export function withoutPlaces(said: string): string {
  return said.replace(PLACE, "");
}

/**
 * The base URL that a server prints when it is ready to answer; `heard` gives what it writes on standard error, if that is no
 * pipe of this process. What comes on the pipe later is passed on.
 */
export function ready(child: ChildProcess, options: StartOptions, heard?: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let [output, errorOutput, isReady] = ["", "", false];
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const url = /listening on (https?:\/\/\S+)\n/.exec(output)?.[1];
      if (url) {
        isReady = true;
        resolve(url);
      }
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (isReady) process.stderr.write(text.replace(PLACE, "chatdouble: "));
      else errorOutput = (errorOutput + text).slice(-MAX_ERROR_OUTPUT);
    });
    child.on("error", (error) =>
      reject(new ChatdoubleError(`chatdouble can't be started: ${error.message}${sourceOfProgram()}`)),
    );
    child.on("close", (status) => {
      if (isReady) return;
      const said = (heard?.() ?? errorOutput).trim();
      reject(new ChatdoubleError(failure(said, status, child.spawnfile, options)));
    });
  });
}

/** What an error of the program begins with. */
const ERROR = "error: ";

/** Why a server did not start. */
function failure(said: string, status: number | null, program: string, options: StartOptions): string {
  const ended = `${program} ended with status ${status} before it was ready`;
  if (said === "") return ended + sourceOfProgram();
  // Another program has been named.
  if (!said.startsWith(ERROR)) return `${ended}, and says: ${said}${sourceOfProgram()}`;
  return failureOf(said.slice(ERROR.length), options);
}

/** What the program says, with the variable from which the option came that it is about. */
function failureOf(said: string, options: StartOptions): string {
  // A program of another version lacks options that this package always gives.
  if (/^unexpected argument '--exit-with-/.test(said)) return said + sourceOfProgram();
  const given = new Set(commandLine(options).map((argument) => argument.split("=")[0]));
  for (const [name, value = ""] of Object.entries(process.env)) {
    if (!name.startsWith(PREFIX)) continue;
    const option = `--${name.slice(PREFIX.length).toLowerCase().replaceAll("_", "-")}`;
    const isNamed = said.split(/[^\w-]/).includes(option);
    // Only names of files and fixtures are shown without their option.
    const isFile = value.length > 1 && value.includes("/") && said.includes(value);
    const isShown = !["--control-token", "--binary"].includes(option) && (isFile || said.startsWith(`${value}: `));
    if (!given.has(option) && (isNamed || isShown)) return `${said} (from ${name})`;
  }
  return said;
}

function sourceOfProgram(): string {
  return process.env["CHATDOUBLE_BINARY"] ? " (from CHATDOUBLE_BINARY)" : "";
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
