// Calls of control and of the public API; nothing else in the console talks to the server.
export class Refused extends Error {
  constructor(status, reply, hint) {
    super(reply?.msg || `The server answered ${status}`);
    Object.assign(this, { status, reply, hint, code: reply?.code });
  }
}

/** What a recording keeps of a refusal; `msg` only where the server said it, and not a gateway's page. */
export const refusalOf = ({ status = 0, code, reply }) => ({
  status,
  code,
  msg: reply?.isPage ? undefined : reply?.msg,
  retryAfter: reply?.["retry-after"],
});

let token = null;
try {
  token = sessionStorage.getItem("chatdouble.token");
} catch {
  /* Asked for again. */
}

/** Whether a token is sent: a server that asks for one has refused it. */
export const hasToken = () => token !== null;

export function setToken(given) {
  token = given;
  try {
    sessionStorage.setItem("chatdouble.token", given);
  } catch {
    /* Kept for this page alone. */
  }
}

/** What the console is called in the journal; browsers send a User-Agent of their own. */
export const CLIENT = "chatdouble-console";

/** Fetches; a request without a reply is refused with status 0. */
async function fetched(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, { msg: "no reply" }, null);
  }
}

/** Names of statuses, which HTTP/2 does not have. */
const STATUSES = { 200: "OK", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout" };

/** What is wrong with a reply that is no JSON, in a few words. */
function notJson({ status, statusText }, text) {
  const said = [status, statusText || STATUSES[status]].filter(Boolean).join(" ");
  const what = text.trim() === "" ? "empty" : /^\s*</.test(text) ? "HTML" : "text";
  return `${said}: the body is ${what}, not JSON`;
}

async function reading(response) {
  const text = await response.text().catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, { msg: "no reply" }, null);
  });
  let reply;
  try {
    reply = JSON.parse(text);
  } catch {
    reply = { result: "error", msg: notJson(response, text), isPage: true };
  }
  if (!response.ok || reply.result === "error")
    throw new Refused(response.status, reply, response.headers.get("x-chatdouble-hint"));
  return reply;
}

/** A call of control; `path` is below /control. */
export async function control(method, path, body) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await fetched(`/control${path}`, {
    method,
    headers,
    credentials: "omit",
    body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
  });
  return reading(response);
}

export const worldPath = (world, rest = "") => `/worlds/${encodeURIComponent(world)}${rest}`;

const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

// The name of a WebSocket's subprotocol has neither / nor =.
const base64Url = (text) => base64(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** A request of the public API as a user; parameters that are no text go as JSON. */
export async function api(world, user, method, path, params = {}, { signal, form, keepalive } = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    query.set(name, typeof value === "string" ? value : JSON.stringify(value));
  const inQuery = method === "GET";
  const url = `/w/${encodeURIComponent(world)}/api/v1${path}${inQuery && query.size ? `?${query}` : ""}`;
  const headers = {
    Authorization: `Basic ${base64(`${user.email}:${user.api_key}`)}`,
    "X-Chatdouble-Client": CLIENT,
  };
  const body = inQuery ? undefined : (form ?? query);
  return reading(await fetched(url, { method, headers, credentials: "omit", signal, body, keepalive }));
}

/** Watches a world until it is closed, with so many frames a second at most. */
export function watch(world, perSecond, { onOpen, onFrame, onClose }) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const protocols = token ? [`bearer64.${base64Url(token)}`] : [];
  const socket = new WebSocket(
    `${scheme}://${location.host}/control${worldPath(world, `/watch?per_second=${perSecond}`)}`,
    protocols,
  );
  socket.onopen = onOpen;
  socket.onmessage = (message) => onFrame(JSON.parse(message.data));
  socket.onclose = onClose;
  return () => {
    socket.onclose = null;
    socket.close();
  };
}
