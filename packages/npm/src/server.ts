/** A running server, started here or elsewhere. */

import { readFileSync } from "node:fs";
import { ChatdoubleError, part, rows } from "./error.js";
import { withDocuments } from "./files.js";
import { OF_VARIABLE, Requests, type Reach } from "./http.js";
import { checkKeys } from "./keys.js";
import type { Health, Report, WorldOptions, WorldRow } from "./types.js";
import { World } from "./world.js";

const DEFAULT = "default";

/** A server: `await using` stops it. */
export class Server {
  /** Base URL, also that of the world `default`. */
  readonly url: string;
  /** The token that control requires, if any. */
  readonly controlToken: string | undefined;
  /** The certificates that clients must trust, as PEM; undefined without HTTPS. */
  readonly tlsCa: string | undefined;
  readonly #requests: Requests;
  readonly #stop: () => Promise<void>;
  #completed = (options: WorldOptions): WorldOptions => options;

  constructor(reach: Reach, stop: () => Promise<void> = async () => {}, requests = new Requests(reach)) {
    this.url = reach.url;
    this.controlToken = reach.controlToken;
    this.tlsCa = reach.ca;
    this.#requests = requests;
    this.#stop = stop;
  }

  /**
   * Another object for the same server, with its connections; for adapters of test runners, not for tests.
   *
   * @internal
   */
  again(): Server {
    return new Server(this.#requests.reach, this.#stop, this.#requests);
  }

  /**
   * Adds options to those of each new world; for adapters of test runners, not for tests.
   *
   * @internal
   */
  completeWorlds(completed: (options: WorldOptions) => WorldOptions): void {
    this.#completed = completed;
  }

  /** An existing world; `default`, which always exists, if no name is given. */
  world(name: string = DEFAULT): World {
    const url = name === DEFAULT ? this.url : `${this.url}/w/${encodeURIComponent(name)}`;
    return new World(this, name, url, this.#requests);
  }

  /**
   * Makes a world: like `default` at the start, or as the options say. A `fixture` or `dialect` that ends in `.json`, or has a
   * separator of paths, is a file, relative to the current directory.
   */
  async createWorld(options: WorldOptions = {}): Promise<World> {
    const made = await this.#requests.control("POST", "/worlds", withDocuments(this.#completed(options)));
    return new World(this, part(made, "name"), part(made, "url"), this.#requests);
  }

  /** All worlds, or those whose names begin with `prefix`. */
  async worlds(filter: { prefix?: string } = {}): Promise<WorldRow[]> {
    return rows(await this.#requests.control("GET", "/worlds", undefined, filter), "worlds");
  }

  /** Deletes all worlds whose names begin with `prefix`, except `default`; returns their names. */
  async deleteWorlds(filter: { prefix: string }): Promise<string[]> {
    return part(await this.#requests.control("DELETE", "/worlds", undefined, filter), "deleted");
  }

  /** The server's version, its feature level and its number of worlds. */
  async health(): Promise<Health> {
    const reply = await this.#requests.control("GET", "/health");
    part(reply, "version");
    return reply;
  }

  /** What the clients of all worlds did that a real server would suffer from, also those of deleted worlds. */
  async report(): Promise<Report> {
    const reply = await this.#requests.control("GET", "/report");
    rows(reply, "clients");
    return reply;
  }

  /**
   * Closes all connections to the server, and stops it if `startServer` started it, with its worlds: their later calls fail. A server
   * of tests or of `connect` runs on, since others use it.
   */
  async stop(): Promise<void> {
    this.#requests.close();
    await this.#stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** A running server, at the given URL or at CHATDOUBLE_URL. The first call connects; `health()` tells whether it can answer. */
export function connect(
  url?: string,
  options: { controlToken?: string | undefined; tlsCa?: string | undefined } = {},
): Server {
  checkKeys("connect", options, ["controlToken", "tlsCa"]);
  const given = url ?? process.env["CHATDOUBLE_URL"];
  if (!given)
    throw new ChatdoubleError("no URL was given, and CHATDOUBLE_URL is not set; startServer() starts a server");
  const ca = process.env["CHATDOUBLE_TLS_CA"];
  return new Server({
    url: baseUrl(given, url === undefined ? OF_VARIABLE : ""),
    controlToken: options.controlToken ?? process.env["CHATDOUBLE_CONTROL_TOKEN"],
    isFromEnvironment: url === undefined,
    ca: options.tlsCa ?? (ca && given.startsWith("https:") ? authorityIn(ca) : undefined),
  });
}

function authorityIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = (error as Error).message;
    throw new ChatdoubleError(`the authority to trust can't be read: ${reason} (from CHATDOUBLE_TLS_CA)`);
  }
}

/** An address of a server without slashes at the end. */
function baseUrl(given: string, source: string): string {
  const refused = (reason: string) => new ChatdoubleError(`'${given}' is no address of a server: ${reason}${source}`);
  if (!/^https?:\/\//i.test(given)) throw refused("it must begin with http:// or https://");
  if (!URL.canParse(given)) throw refused("it is no URL");
  return given.replace(/\/+$/, "");
}
