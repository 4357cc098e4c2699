/** How orval's functions reach the server. */

const site = process.env.CHATDOUBLE_URL!;
let authorization: Record<string, string> = {};

export function authorize(email: string, key: string): void {
  authorization = { Authorization: `Basic ${btoa(`${email}:${key}`)}` };
}

/** Forms: texts as they are, all else as JSON. */
export function form(fields: object = {}): URLSearchParams {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    given.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

export async function request<Reply>(path: string, options: RequestInit): Promise<Reply> {
  const base = path.startsWith("/control/") ? site : `${site}/api/v1`;
  const headers = { ...(options.headers as Record<string, string>), ...authorization };
  const reply = await fetch(base + path, { ...options, headers });
  return { data: await reply.json(), status: reply.status, headers: reply.headers } as Reply;
}
