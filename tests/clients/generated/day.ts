/** The steps of each generated client: its own world, an upload, messages and events. */

import assert from "node:assert/strict";

/** The generated functions that are called; each returns the reply. */
export interface Calls {
  createWorld(name: string): Promise<{ name: string }>;
  moveClock(world: string, seconds: number): Promise<{ now: number }>;
  verifyJournal(world: string, path: string, count: number): Promise<{ count: number }>;
  deleteWorld(world: string): Promise<{ result: string }>;
  getServerSettings(): Promise<{ zulip_feature_level: number }>;
  devFetchApiKey(username: string): Promise<{ email: string; api_key: string }>;
  authorize(email: string, key: string): void;
  register(): Promise<{ queue_id?: string | null }>;
  sendMessage(to: string, topic: string, content: string): Promise<{ id: number }>;
  getEvents(queue: string, last: number): Promise<{ events: { type?: string }[] }>;
  addReaction(message: number, emoji: string): Promise<{ result: string }>;
  editMessage(message: number, content: string): Promise<{ result: string }>;
  getMessages(narrow: object[]): Promise<{ messages: { content: string }[] }>;
  getUser(email: string): Promise<{ user: { full_name: string } }>;
  uploadFile(file: File): Promise<{ url: string }>;
  deleteQueue(queue: string): Promise<{ result: string }>;
}

let failures = 0;

async function step(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    console.log(`ok - ${name}`);
  } catch (error) {
    failures += 1;
    console.log(`not ok - ${name}: ${error}`);
  }
}

export async function day(client: string, calls: Calls): Promise<void> {
  const name = `generated-${client}`;
  let queue = "";
  let message = 0;
  const check = (what: string, work: () => Promise<void>) => step(`${client}: ${what}`, work);

  await check("createWorld", async () => assert.equal((await calls.createWorld(name)).name, name));
  await check("getServerSettings", async () => assert.ok((await calls.getServerSettings()).zulip_feature_level > 0));
  await check("devFetchApiKey", async () => {
    const account = await calls.devFetchApiKey("mel@chat.test");
    assert.equal(account.email, "mel@chat.test");
    calls.authorize(account.email, account.api_key);
  });
  await check("register", async () => {
    queue = (await calls.register()).queue_id ?? "";
    assert.notEqual(queue, "");
  });
  await check("sendMessage", async () => {
    message = (await calls.sendMessage("general", "greetings", `from ${client}`)).id;
    assert.ok(message > 0);
  });
  await check("getEvents", async () => {
    const { events } = await calls.getEvents(queue, -1);
    assert.ok(events.some((event) => event.type === "message"));
  });
  await check("addReaction", async () => assert.equal((await calls.addReaction(message, "tada")).result, "success"));
  await check("editMessage", async () => assert.equal((await calls.editMessage(message, "edited")).result, "success"));
  await check("getMessages", async () => {
    const { messages } = await calls.getMessages([{ operator: "id", operand: message }]);
    assert.deepEqual(
      messages.map((one) => one.content),
      ["<p>edited</p>"],
    );
  });
  await check("getUser", async () => assert.ok((await calls.getUser("max@chat.test")).user.full_name));
  await check("uploadFile", async () => {
    const { url } = await calls.uploadFile(new File(["Hello"], "hello.txt", { type: "text/plain" }));
    assert.match(url, /^\/user_uploads\//);
  });
  await check("deleteQueue", async () => assert.equal((await calls.deleteQueue(queue)).result, "success"));
  await check("moveClock", async () => assert.ok((await calls.moveClock("default", 86_400)).now > 0));
  await check("verifyJournal", async () =>
    assert.equal((await calls.verifyJournal("default", "/messages", 2)).count, 2),
  );
  await check("deleteWorld", async () => assert.equal((await calls.deleteWorld(name)).result, "success"));
  process.exitCode = failures === 0 ? 0 : 1;
}

/** The result of a call; a refusal becomes an error with its message. */
export function given<Reply>(reply: { data?: Reply; error?: unknown }): Reply {
  if (reply.data === undefined) throw new Error(JSON.stringify(reply.error));
  return reply.data;
}
