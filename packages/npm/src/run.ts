/** One server for all processes of a test run: the first that needs it starts it, and it ends with the run. */

import { spawn } from "node:child_process";
import {
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
  closeSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { binary } from "./binary.cjs";
import { ChatdoubleError } from "./error.js";
import { connect, Server } from "./server.js";
import { commandLine, environment, ready, withoutPlaces, type StartOptions } from "./start.js";
import type { WorldOptions } from "./types.js";

const FOLDER = `chatdouble-run-${userInfo().username}-`;
/** How many lines are shown of what the server said. */
const SHOWN_LINES = 20;
let known: Promise<Server> | undefined;

/** The server at CHATDOUBLE_URL, or the one of this run. */
export function serverOfRun(options: StartOptions = {}): Promise<Server> {
  known ??= process.env["CHATDOUBLE_URL"] ? elsewhere(options) : shared(options);
  return known;
}

/** The server at CHATDOUBLE_URL, if it can answer. */
async function elsewhere({ controlToken }: StartOptions): Promise<Server> {
  const server = connect(undefined, { controlToken });
  await server.health();
  return server;
}

/** Options of a server that the worlds of tests can have instead. */
const OF_WORLDS = ["clock", "dialect", "featureLevel", "fixture", "seed"] as const;

/**
 * The options of a test's world, with those of its server where the test says nothing and the server at CHATDOUBLE_URL runs
 * already. Options that only a start can give are refused.
 */
export function completed(wanted: WorldOptions, serve: StartOptions): WorldOptions {
  if (!process.env["CHATDOUBLE_URL"]) return wanted;
  const used: readonly string[] = [...OF_WORLDS, "controlToken"];
  const given = Object.entries(serve).filter(([, value]) => value !== undefined && value !== false);
  const unused = given.map(([name]) => name).filter((name) => !used.includes(name));
  if (unused.length > 0)
    throw new ChatdoubleError(
      `serverOptions can't give ${unused.join(", ")} to the server at CHATDOUBLE_URL, which runs already: start it with them, or unset CHATDOUBLE_URL`,
    );
  if ((wanted.forkOf ?? "default") !== "default") return wanted;
  const isFork = wanted.forkOf !== undefined || wanted.snapshot !== undefined;
  const names = OF_WORLDS.filter((name) => wanted[name] === undefined && !(name === "fixture" && isFork));
  return { ...wanted, ...Object.fromEntries(given.filter(([name]) => names.some((one) => one === name))) };
}

/** The process that lives as long as the run: workers are its threads or its children. */
function runner(): number {
  // Node's own runner opens no channel to the processes of its files.
  const isChild = process.send !== undefined || process.env["NODE_TEST_CONTEXT"] !== undefined;
  return isMainThread && isChild ? process.ppid : process.pid;
}

async function shared(options: StartOptions): Promise<Server> {
  const folder = join(tmpdir(), FOLDER + runner());
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A folder that another user made first can't be trusted.
  if (process.getuid && statSync(folder).uid !== process.getuid())
    throw new ChatdoubleError(`${folder} belongs to another user`);
  const tlsCaFile = options.tls ? (options.tlsCaFile ?? join(folder, "ca.pem")) : options.tlsCaFile;
  const reached = (url: string) => {
    const tlsCa = tlsCaFile && url.startsWith("https:") ? readFileSync(tlsCaFile, "utf8") : undefined;
    return connect(url, { controlToken: options.controlToken, tlsCa });
  };
  if (!claim(join(folder, "claim"))) {
    const server = reached(await announced(folder));
    if (await isThere(server)) return server;
    // The folder is from an earlier run whose process had the same number.
    rmSync(folder, { recursive: true, force: true });
    return shared(options);
  }
  forget();
  try {
    const url = await start({ ...options, tlsCaFile });
    announce(folder, "url", url);
    return reached(url);
  } catch (error) {
    announce(folder, "failure", (error as Error).message);
    throw error;
  }
}

/** Whether this process is the first. */
function claim(file: string): boolean {
  try {
    closeSync(openSync(file, "wx"));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function announce(folder: string, name: string, text: string): void {
  const whole = join(folder, `${name}.part`);
  writeFileSync(whole, text);
  renameSync(whole, join(folder, name));
}

/** The URL that the first process writes, as soon as it exists. */
function announced(folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const read = (name: string) => {
      try {
        return readFileSync(join(folder, name), "utf8");
      } catch {
        return undefined;
      }
    };
    const watcher = watch(folder, look);
    function look(): void {
      const [url, failure] = [read("url"), read("failure")];
      if (url === undefined && failure === undefined) return;
      watcher.close();
      if (url === undefined) reject(new ChatdoubleError(failure!));
      else resolve(url);
    }
    // The watcher does not report files that were written before it began.
    look();
  });
}

async function isThere(server: Server): Promise<boolean> {
  try {
    await server.health();
    return true;
  } catch {
    return false;
  }
}

async function start(options: StartOptions): Promise<string> {
  const clock = process.env["CHATDOUBLE_CLOCK"] ? {} : { clock: "frozen" };
  const all = { ...clock, ...options };
  const line = commandLine({ ...all, exitWithProcess: runner() });
  // Every worker reads it, and the server writes to it when the process that started it has ended.
  const file = saidFile();
  const errors = openSync(file, "a");
  // In its own process group: a worker may be killed with its whole group while other workers still run tests.
  const child = spawn(binary(), ["serve", ...line], {
    stdio: ["ignore", "pipe", errors],
    env: environment(options),
    detached: true,
  });
  closeSync(errors);
  const url = await ready(child, all, () => readFileSync(file, "utf8"));
  child.unref();
  child.stdout!.destroy();
  return url;
}

function saidFile(): string {
  return join(tmpdir(), FOLDER + runner(), "said");
}

let shown = 0;

/** What the server of this run said since it was last asked for by this process, if it was started by the run. */
export function saidByServer(): string[] {
  if (known === undefined || process.env["CHATDOUBLE_URL"]) return [];
  try {
    const all = readFileSync(saidFile(), "utf8");
    const news = withoutPlaces(all.slice(shown)).split("\n");
    shown = all.length;
    return news.filter((line) => line.trim() !== "").slice(-SHOWN_LINES);
  } catch {
    return [];
  }
}

/** Removes the folders of runs that have ended. */
function forget(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(FOLDER) ? Number(name.slice(FOLDER.length)) : NaN;
    if (Number.isInteger(pid) && !isAlive(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
