/** Requests to control: one connection pool for each server. */

import * as http from "node:http";
import * as https from "node:https";
import { ChatdoubleError, describe } from "./error.js";
import { checkValued } from "./keys.js";
import { addressed, fromWire, spelled, toWire } from "./names.js";

/** How to reach a server. */
export interface Reach {
  /** Base URL, without a slash at the end. */
  url: string;
  controlToken?: string | undefined;
  /** The certificate to trust, as PEM. */
  ca?: string | undefined;
  /** Whether the URL is that of CHATDOUBLE_URL. */
  isFromEnvironment?: boolean;
  /** Whether the server was started for the tests of this run. */
  isOfRun?: boolean;
}

/** Follows the errors of a server whose address is a variable's. */
export const OF_VARIABLE = " (from CHATDOUBLE_URL; unset it to let the tests start a server)";

/** The status of a call for a world that there is not. */
export const NO_WORLD = 404;
/** The status of errors of requests that got no reply. */
const NO_REPLY = 0;

/** Requests to one server. */
export class Requests {
  readonly #agent: http.Agent;
  #isClosed = false;
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(readonly reach: Reach) {
    const options = { keepAlive: true, ca: reach.ca };
    this.#agent = reach.url.startsWith("https:") ? new https.Agent(options) : new http.Agent(options);
  }

  /** The headers that control requires. */
  authorization(): Record<string, string> {
    return this.reach.controlToken ? { authorization: `Bearer ${this.reach.controlToken}` } : {};
  }

  /** Makes a call of control; returns its reply without the envelope. */
  async control(method: string, path: string, body?: unknown, filters: object = {}): Promise<any> {
    const wire = body === undefined ? undefined : toWire(body);
    try {
      return fromWire(await this.plain(method, path, wire, filters));
    } catch (error) {
      if (!(error instanceof ChatdoubleError) || error.code !== "BAD_REQUEST") throw error;
      const message = spelled(error.message, [wire, toWire(filters)]);
      throw new ChatdoubleError(message, error.status, error.code, error.body);
    }
  }

  /** Makes a call of control; the keys of its body and reply are not renamed. */
  async plain(method: string, path: string, body?: unknown, filters: object = {}): Promise<any> {
    checkValued(filters);
    const wire = Object.entries(toWire(addressed(filters)) as object).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const query = wire.length === 0 ? "" : `?${new URLSearchParams(wire)}`;
    const headers = { ...this.authorization(), "content-type": "application/json" };
    const text = body === undefined ? undefined : JSON.stringify(addressed(body));
    const answer = await this.#send(method, `${this.reach.url}/control${path}${query}`, headers, text);
    return envelope(answer, this.reach.isFromEnvironment ? OF_VARIABLE : "");
  }

  /** Reads a document of control, which has no envelope. */
  async document(path: string, filters: object): Promise<any> {
    const query = new URLSearchParams(toWire(filters) as Record<string, string>);
    const { text } = await this.#send("GET", `${this.reach.url}/control${path}?${query}`, this.authorization());
    return JSON.parse(text);
  }

  /** What `read` returned for a name the first time that it did not fail. */
  once<T>(name: string, read: () => Promise<T>): Promise<T> {
    let known = this.#known.get(name) as Promise<T> | undefined;
    if (known !== undefined) return known;
    known = read();
    this.#known.set(name, known);
    known.catch(() => this.#known.delete(name));
    return known;
  }

  /** Options for a request to this server that becomes a WebSocket. */
  options(): https.RequestOptions {
    return { headers: this.authorization(), ca: this.reach.ca };
  }

  close(): void {
    this.#isClosed = true;
    this.#agent.destroy();
  }

  /** Ends something at the end of a block, where it may be gone already: by a call, with its world or with its server. */
  async leave(ending: Promise<void>, gone: readonly number[] = [NO_WORLD]): Promise<void> {
    try {
      await ending;
    } catch (error) {
      const { status } = error as ChatdoubleError;
      if (!gone.includes(status) && !(this.#isClosed && status === NO_REPLY)) throw error;
    }
  }

  #send(method: string, url: string, headers: Record<string, string>, body?: string): Promise<Answer> {
    const { promise, resolve, reject } = withResolvers<Answer>();
    const client = url.startsWith("https:") ? https : http;
    const length: Record<string, string> =
      body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const request = client.request(url, { method, headers: { ...headers, ...length }, agent: this.#agent }, (reply) => {
      const parts: Buffer[] = [];
      reply.on("data", (part: Buffer) => parts.push(part));
      reply.on("error", fail);
      reply.on("end", () =>
        resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(parts).toString(), url, method }),
      );
    });
    let retried = false;
    const { isFromEnvironment, isOfRun } = this.reach;
    const isStopped = () => this.#isClosed;
    function fail(error: NodeJS.ErrnoException): void {
      retried = true;
      const isRefused = error.code === "ECONNREFUSED";
      const reasons = [
        isStopped() && " (the server was stopped, by server.stop())",
        isFromEnvironment && OF_VARIABLE,
        isOfRun && isRefused && " (the server that the tests started has ended)",
      ];
      const source = reasons.find(Boolean) || "";
      reject(new ChatdoubleError(`${method} ${url}: ${reason(error)}${source}`));
    }
    request.on("error", (error: NodeJS.ErrnoException) => {
      // An idle connection that the server closed a moment ago: nothing was read from it.
      if (!retried && request.reusedSocket && error.code === "ECONNRESET") {
        retried = true;
        this.#send(method, url, headers, body).then(resolve, reject);
      } else {
        fail(error);
      }
    });
    request.end(body);
    return promise;
  }
}

/** The code and the message of an error, of which either may be empty and the message mostly has the code. */
function reason({ code = "", message }: NodeJS.ErrnoException): string {
  return message.includes(code) ? message : `${code} ${message}`.trim();
}

interface Answer {
  status: number;
  text: string;
  url: string;
  method: string;
}

function envelope({ status, text, url, method }: Answer, source: string): any {
  let body: any;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ChatdoubleError(
      `${new URL(url).origin} is not a chatdouble server${source}: ${method} ${url} answered ${status} without JSON: ${oneLine(text)}`,
      status,
      "",
      text,
    );
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new ChatdoubleError(
      `${new URL(url).origin} is not a chatdouble server${source}: ${method} ${url} answered ${status} with no object: ${oneLine(text)}`,
      status,
      "",
      body,
    );
  }
  if (status !== 200 || body.result !== "success") {
    const msg =
      typeof body.msg === "string" ? body.msg : `${method} ${url}: ${status}, which is no reply of chatdouble`;
    throw new ChatdoubleError(describe(msg, body), status, typeof body.code === "string" ? body.code : "", body);
  }
  const { result: _result, msg: _msg, ...rest } = body;
  return rest;
}

/** As much of a reply as an error shows, without breaks of lines. */
function oneLine(text: string): string {
  return text.slice(0, 200).trim().replace(/\s+/g, " ");
}

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
