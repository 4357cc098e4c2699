/**
 * The servers of a test run, one for all processes and files with the same options: the first that needs it starts it, and it
 * ends with the run.
 */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
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
import { ofServer } from "./files.js";
import { connect, Server } from "./server.js";
import { commandLine, environment, ready, withoutPlaces, type StartOptions } from "./start.js";
import type { WorldOptions } from "./types.js";

const FOLDER = `chatdouble-run-${userInfo().username}-`;
/** How many lines are shown of what the server said. */
const SHOWN_LINES = 20;
/** The servers of this run that this process asked for, by the name of their folder. */
const known = new Map<string, Promise<Server>>();

/** The server at CHATDOUBLE_URL, or the one of this run that has these options. */
export async function serverOfRun(options: StartOptions = {}): Promise<Server> {
  const name = process.env["CHATDOUBLE_URL"] ? "" : folderName(options);
  const server = known.get(name) ?? (name === "" ? elsewhere(options) : shared(options, name));
  known.set(name, server);
  return server;
}

/** The folder of the server with these options, the same in each process of the run. */
function folderName(options: StartOptions): string {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const sorted = given.sort(([one], [other]) => (one < other ? -1 : 1));
  const hash = createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
  return join(runFolder(), hash.slice(0, 16));
}

function runFolder(): string {
  return join(tmpdir(), FOLDER + runner());
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
  const isSecured = /^https:/i.test(process.env["CHATDOUBLE_URL"]);
  const used: readonly string[] = [...OF_WORLDS, "controlToken", ...(isSecured ? ["tls"] : [])];
  const given = Object.entries(serve).filter(([, value]) => value !== undefined && value !== false);
  const unused = given.map(([name]) => name).filter((name) => !used.includes(name));
  if (unused.length > 0) {
    const source = unused.includes("tls") ? "it with them, for tls by exec --tls," : "it with them,";
    throw new ChatdoubleError(
      `serverOptions can't give ${unused.join(", ")} to the server at CHATDOUBLE_URL, which runs already: start ${source} or unset CHATDOUBLE_URL`,
    );
  }
  if ((wanted.forkOf ?? "default") !== "default") return wanted;
  const isFork = wanted.forkOf !== undefined || wanted.snapshot !== undefined;
  const names = OF_WORLDS.filter((name) => wanted[name] === undefined && !(name === "fixture" && isFork));
  const taken = given.filter(([name]) => names.some((one) => one === name));
  const completing = Object.fromEntries(
    taken.map(([name, value]) => [name, name === "fixture" || name === "dialect" ? ofServer(name, value) : value]),
  );
  // As where the tests start the server themselves.
  const clock = process.env["CHATDOUBLE_CLOCK"] ? {} : { clock: "frozen" };
  return { ...clock, ...withoutUndefined(wanted), ...completing };
}

function withoutUndefined<Given extends object>(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Given;
}

/** Whether this process is a worker of the run. Node's own runner opens no channel to the processes of its files. */
const IS_CHILD = isMainThread && (process.send !== undefined || process.env["NODE_TEST_CONTEXT"] !== undefined);
/** The parent when this module was loaded. In a container, the runner may be the process 1. */
const PARENT = process.ppid;

/** The process that lives as long as the run: workers are its threads or its children. */
function runner(): number {
  if (!IS_CHILD) return process.pid;
  // A process whose parent has ended gets another, mostly 1, with which no server would end.
  if (process.ppid !== PARENT) throw new ChatdoubleError(`the test runner, process ${PARENT}, has ended`);
  return PARENT;
}

async function shared(options: StartOptions, folder: string): Promise<Server> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A folder that another user made first can't be trusted.
  if (process.getuid && statSync(runFolder()).uid !== process.getuid())
    throw new ChatdoubleError(`${runFolder()} belongs to another user`);
  const tlsCaFile = options.tls ? (options.tlsCaFile ?? join(folder, "ca.pem")) : options.tlsCaFile;
  const reached = (url: string) => {
    const ca = tlsCaFile && url.startsWith("https:") ? readFileSync(tlsCaFile, "utf8") : undefined;
    const controlToken = options.controlToken ?? process.env["CHATDOUBLE_CONTROL_TOKEN"];
    return new Server({ url, controlToken, ca, isOfRun: true });
  };
  if (!claim(join(folder, "claim"))) {
    const server = reached(await announced(folder));
    if (await isThere(server)) return server;
    // The folder is from an earlier run whose process had the same number.
    rmSync(folder, { recursive: true, force: true });
    return shared(options, folder);
  }
  forget();
  try {
    const url = await start({ ...options, tlsCaFile }, saidFile(folder));
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

async function start(options: StartOptions, file: string): Promise<string> {
  const clock = process.env["CHATDOUBLE_CLOCK"] ? {} : { clock: "frozen" };
  const all = { ...clock, ...options };
  const line = commandLine({ ...all, exitWithProcess: runner() });
  // Every worker reads it, and the server writes to it when the process that started it has ended.
  const errors = openSync(file, "a");
  // In its own process group: a worker may be killed with its whole group while other workers still run tests, and the Ctrl-C of
  // a terminal does not reach it.
  const child = spawn(binary(), ["serve", ...line], {
    stdio: ["ignore", "pipe", errors],
    env: environment(options),
    detached: true,
    windowsHide: true,
  });
  closeSync(errors);
  const url = await ready(child, all, () => readFileSync(file, "utf8"));
  child.unref();
  child.stdout!.destroy();
  return url;
}

function saidFile(folder: string): string {
  return join(folder, "said");
}

/** How much of what the server in a folder said was taken by this process. */
const taken = new Map<string, number>();

/** What the servers of this run said since this process last asked, if they were started by the run. */
export function saidByServers(): string[] {
  return [...known.keys()].filter((folder) => folder !== "").flatMap(saidIn);
}

function saidIn(folder: string): string[] {
  try {
    const all = readFileSync(saidFile(folder), "utf8");
    const news = withoutPlaces(all.slice(taken.get(folder) ?? 0)).split("\n");
    taken.set(folder, all.length);
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
