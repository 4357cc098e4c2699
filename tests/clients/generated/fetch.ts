/** The types that openapi-typescript makes, with openapi-fetch. */

import createClient from "openapi-fetch";
import { day, given } from "./day";
import type { paths as Api } from "./out/types/api";
import type { paths as Control } from "./out/types/control";

const site = process.env.CHATDOUBLE_URL!;
const api = createClient<Api>({
  baseUrl: `${site}/api/v1`,
  // Forms, as in the document: texts as they are, all else as JSON.
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
  bodySerializer: (body: unknown) => {
    const fields = Object.entries(body as object);
    return new URLSearchParams(
      fields.map(([name, one]) => [name, typeof one === "string" ? one : JSON.stringify(one)]),
    );
  },
});
const control = createClient<Control>({ baseUrl: site });
let Authorization = "";
const headers = () => ({ Authorization });

await day("openapi-typescript", {
  createWorld: async (name) => given(await control.POST("/control/worlds", { body: { name } })),
  moveClock: async (name, advance_seconds) =>
    given(
      await control.POST("/control/worlds/{name}/clock", { params: { path: { name } }, body: { advance_seconds } }),
    ),
  verifyJournal: async (name, path, exactly) =>
    given(
      await control.POST("/control/worlds/{name}/journal/verify", {
        params: { path: { name } },
        body: { path, exactly },
      }),
    ),
  deleteWorld: async (name) => given(await control.DELETE("/control/worlds/{name}", { params: { path: { name } } })),
  getServerSettings: async () => given(await api.GET("/server_settings")),
  devFetchApiKey: async (username) => given(await api.POST("/dev_fetch_api_key", { body: { username } })),
  authorize: (email, key) => void (Authorization = `Basic ${btoa(`${email}:${key}`)}`),
  register: async () => given(await api.POST("/register", { body: {}, headers: headers() })),
  sendMessage: async (to, topic, content) =>
    given(await api.POST("/messages", { body: { type: "channel", to, topic, content }, headers: headers() })),
  getEvents: async (queue_id, last_event_id) =>
    given(await api.GET("/events", { params: { query: { queue_id, last_event_id } }, headers: headers() })),
  addReaction: async (message_id, emoji_name) =>
    given(
      await api.POST("/messages/{message_id}/reactions", {
        params: { path: { message_id } },
        body: { emoji_name },
        headers: headers(),
      }),
    ),
  editMessage: async (message_id, content) =>
    given(
      await api.PATCH("/messages/{message_id}", {
        params: { path: { message_id } },
        body: { content },
        headers: headers(),
      }),
    ),
  getMessages: async (narrow) => {
    const query = { anchor: "newest", num_before: 1, num_after: 0, narrow: JSON.stringify(narrow) };
    return given(await api.GET("/messages", { params: { query }, headers: headers() }));
  },
  getUser: async (user_id) =>
    given(await api.GET("/users/{user_id}", { params: { path: { user_id } }, headers: headers() })),
  uploadFile: async (file) => {
    const bodySerializer = () => {
      const form = new FormData();
      form.append("file", file);
      return form;
    };
    return given(
      await api.POST("/user_uploads", { body: {}, bodySerializer, headers: { ...headers(), "Content-Type": null } }),
    );
  },
  deleteQueue: async (queue_id) => given(await api.DELETE("/events", { body: { queue_id }, headers: headers() })),
});
