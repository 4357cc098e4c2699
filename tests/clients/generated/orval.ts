/** The client that orval makes. */

import { day } from "./day";
import { authorize } from "./orval-request";
import * as api from "./out/orval/api";
import * as control from "./out/orval/control";

/** The reply, which must be a success. */
function given<Reply extends { status: number; data: unknown }>(reply: Reply) {
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.data));
  return reply.data as Extract<Reply, { status: 200 }>["data"];
}

await day("orval", {
  createWorld: async (name) => given(await control.createWorld({ name })),
  moveClock: async (name, advance_seconds) => given(await control.moveClock(name, { advance_seconds })),
  verifyJournal: async (name, path, exactly) => given(await control.verifyJournal(name, { path, exactly })),
  deleteWorld: async (name) => given(await control.deleteWorld(name)),
  getServerSettings: async () => given(await api.getServerSettings()),
  devFetchApiKey: async (username) => given(await api.devFetchApiKey({ username })),
  authorize,
  register: async () => given(await api.register({})),
  sendMessage: async (to, topic, content) => given(await api.sendMessage({ type: "channel", to, topic, content })),
  getEvents: async (queue_id, last_event_id) => given(await api.getEvents({ queue_id, last_event_id })),
  addReaction: async (message, emoji_name) => given(await api.addReaction(message, { emoji_name })),
  editMessage: async (message, content) => given(await api.editMessage(message, { content })),
  getMessages: async (narrow) =>
    given(await api.getMessages({ anchor: "newest", num_before: 1, num_after: 0, narrow: JSON.stringify(narrow) })),
  getUser: async (email) => given(await api.getUser(email)),
  uploadFile: async (file) => given(await api.uploadFile({ file })),
  deleteQueue: async (queue_id) => given(await api.deleteQueue({ queue_id })),
});
