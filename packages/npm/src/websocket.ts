/** A minimal WebSocket client that reads text frames; Node has its own only from version 22 on. */

import { randomBytes } from "node:crypto";
import * as http from "node:http";
import * as https from "node:https";
import type { Duplex } from "node:stream";
import { ChatdoubleError } from "./error.js";

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** The text messages that a server sends, until the connection closes or the reader stops. */
export async function* texts(
  url: string,
  options: https.RequestOptions,
  opened: (close: () => void) => void = () => {},
): AsyncGenerator<string> {
  const [socket, head] = await connect(url, options);
  opened(() => socket.destroy());
  try {
    let rest = head;
    let message: Buffer[] = [];
    for (;;) {
      for (let frame = take(rest); frame !== null; frame = take(rest)) {
        rest = frame.rest;
        if (frame.kind === CLOSE) return;
        if (frame.kind === PING) socket.write(masked(PONG, frame.payload));
        if (frame.kind > TEXT) continue;
        message.push(frame.payload);
        if (frame.isLast) {
          yield Buffer.concat(message).toString();
          message = [];
        }
      }
      const part = await read(socket);
      if (part === null) return;
      rest = Buffer.concat([rest, part]);
    }
  } finally {
    socket.destroy();
  }
}

function connect(url: string, options: https.RequestOptions): Promise<[Duplex, Buffer]> {
  const client = url.startsWith("https:") ? https : http;
  const headers = {
    ...options.headers,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
  };
  return new Promise((resolve, reject) => {
    const request = client.get(url, { ...options, headers, agent: false });
    request.on("upgrade", (_reply, socket, head) => resolve([socket, head]));
    request.on("response", (reply) => {
      const parts: Buffer[] = [];
      reply.on("data", (part: Buffer) => parts.push(part));
      reply.on("close", () => reject(refusal(url, reply.statusCode, Buffer.concat(parts).toString())));
    });
    request.on("error", (error) => reject(new ChatdoubleError(`${url} can't be watched: ${error.message}`)));
  });
}

/** The error for a reply that is no WebSocket, with the reason of control if it has one. */
function refusal(url: string, status: number | undefined, text: string): ChatdoubleError {
  let body: any;
  try {
    body = JSON.parse(text);
  } catch {
    body = null;
  }
  const message = typeof body?.msg === "string" ? body.msg : `${url} can't be watched: ${status}`;
  return new ChatdoubleError(message, status, typeof body?.code === "string" ? body.code : "", body);
}

async function read(socket: Duplex): Promise<Buffer | null> {
  for (;;) {
    const part: Buffer | null = socket.read();
    if (part !== null) return part;
    if (socket.destroyed || socket.readableEnded) return null;
    await new Promise<void>((resolve) => {
      const done = () => {
        for (const event of ["readable", "end", "close", "error"]) socket.off(event, done);
        resolve();
      };
      for (const event of ["readable", "end", "close", "error"]) socket.on(event, done);
    });
  }
}

/** The first complete frame, and the bytes after it. */
function take(bytes: Buffer): { kind: number; isLast: boolean; payload: Buffer; rest: Buffer } | null {
  if (bytes.length < 2) return null;
  const [first, second] = [bytes[0]!, bytes[1]!];
  let [start, length] = [2, second & 0x7f];
  if (length === 126) {
    if (bytes.length < 4) return null;
    [start, length] = [4, bytes.readUInt16BE(2)];
  } else if (length === 127) {
    if (bytes.length < 10) return null;
    [start, length] = [10, Number(bytes.readBigUInt64BE(2))];
  }
  if (bytes.length < start + length) return null;
  const [payload, rest] = [bytes.subarray(start, start + length), bytes.subarray(start + length)];
  return { kind: first & 0x0f, isLast: (first & 0x80) !== 0, payload, rest };
}

/** A short client frame; clients must mask their frames. */
function masked(kind: number, payload: Buffer): Buffer {
  const mask = randomBytes(4);
  const short = payload.subarray(0, 125);
  const body = Buffer.from(short.map((byte, index) => byte ^ mask[index % 4]!));
  return Buffer.concat([Buffer.from([0x80 | kind, 0x80 | short.length]), mask, body]);
}
