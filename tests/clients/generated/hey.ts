/** The client that @hey-api/openapi-ts makes. */

import { day, given } from "./day";
import * as api from "./out/hey/api/sdk.gen";
import { client } from "./out/hey/api/client.gen";
import * as control from "./out/hey/control/sdk.gen";
import { client as steering } from "./out/hey/control/client.gen";

const site = process.env.CHATDOUBLE_URL!;
client.setConfig({ baseUrl: `${site}/api/v1` });
steering.setConfig({ baseUrl: site });

await day("openapi-ts", {
  createWorld: async (name) => given(await control.createWorld({ body: { name } })),
  moveClock: async (name, advance_seconds) =>
    given(await control.moveClock({ path: { name }, body: { advance_seconds } })),
  verifyJournal: async (name, path, exactly) =>
    given(await control.verifyJournal({ path: { name }, body: { path, exactly } })),
  deleteWorld: async (name) => given(await control.deleteWorld({ path: { name } })),
  getServerSettings: async () => given(await api.getServerSettings()),
  devFetchApiKey: async (username) => given(await api.devFetchApiKey({ body: { username } })),
  authorize: (email, key) => void client.setConfig({ auth: `${email}:${key}` }),
  register: async () => given(await api.register({ body: {} })),
  sendMessage: async (to, topic, content) =>
    given(await api.sendMessage({ body: { type: "channel", to, topic, content } })),
  getEvents: async (queue_id, last_event_id) => given(await api.getEvents({ query: { queue_id, last_event_id } })),
  addReaction: async (message_id, emoji_name) =>
    given(await api.addReaction({ path: { message_id }, body: { emoji_name } })),
  editMessage: async (message_id, content) => given(await api.editMessage({ path: { message_id }, body: { content } })),
  getMessages: async (narrow) =>
    given(
      await api.getMessages({
        query: { anchor: "newest", num_before: 1, num_after: 0, narrow: JSON.stringify(narrow) },
      }),
    ),
  getUser: async (user_id) => given(await api.getUser({ path: { user_id } })),
  uploadFile: async (file) => given(await api.uploadFile({ body: { file } })),
  deleteQueue: async (queue_id) => given(await api.deleteQueue({ body: { queue_id } })),
});
