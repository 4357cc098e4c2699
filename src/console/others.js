// What was done to a world by control, as the frames of its watch socket tell it, and the calls that do the same.
import { handle } from "./lib.js";

/** What a frame says was done by control; null for frames that tell of something else. `was` are the networks before it. */
export function changeOf(frame, was) {
  if (frame.type === "network") return { kind: "network", was: was ?? frame.networks, now: frame.networks };
  if (frame.type !== "clock") return null;
  const { from, now: to, fired, cause, snapshot } = frame;
  if (cause === undefined && snapshot === undefined) return { kind: "jump", from, to, fired };
  return { kind: "return", cause: cause ?? "restore", snapshot, to };
}

const networkUser = ({ path, body }) => body?.user ?? new URLSearchParams(path.split("?")[1]).get("user");

/** Whether a call of control may be what made a change, other than a jump. */
export function fits(call, change) {
  const { method, path, body } = call;
  if (change.kind === "return") {
    if (change.cause !== "restore") return path === `/${change.cause}`;
    return path === restorePath(change.snapshot);
  }
  if (path.split("?")[0] !== "/network") return false;
  const user = networkUser(call);
  const own = change.now.find((one) => (user === null ? !one.user : one.user === user || handle(one.user) === user));
  if (method === "DELETE") return user === null ? change.now.length === 0 : !own;
  return own !== undefined && own.profile === (body.profile ?? null);
}

/** Requests other than reads that leave nothing behind: logins, queues, who types or is there, texts that are only rendered. */
export const isSilent = ({ method, path }) =>
  method === "GET" ||
  /^\/(register|events|typing|message_edit_typing|users\/me\/presence|(dev_|jwt\/)?fetch_api_key|messages\/render)$/.test(
    path,
  ) ||
  /^\/messages\/\d+\/typing$|^\/mobile_push\/(e2ee\/)?test_notification$/.test(path);

export const restorePath = (snapshot) => `/snapshots/${encodeURIComponent(snapshot)}/restore`;

/** The calls that lead from networks to others. */
export function networkCalls(was, now) {
  const text = (one) => JSON.stringify(one);
  const ended = was.filter((one) => !now.some((other) => other.user === one.user));
  // That of everybody ends with all others.
  const endsAll = ended.some((one) => !one.user) || (ended.length > 1 && now.length === 0);
  const set = endsAll ? now : now.filter((one) => !was.some((other) => text(other) === text(one)));
  return [
    ...(endsAll ? [""] : ended.map((one) => `?user=${encodeURIComponent(one.user)}`)).map((query) => ({
      method: "DELETE",
      path: `/network${query}`,
    })),
    ...set.map((one) => ({
      method: "POST",
      path: "/network",
      body: Object.fromEntries(Object.entries(one).filter(([, value]) => value !== null)),
    })),
  ];
}
