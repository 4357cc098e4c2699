"use strict";

// The calls of a web client, from a page whose origin is not the server's.

/** Makes a request to the API; returns the status, the headers that the page may see, and the JSON. */
async function api(server, path, { method = "GET", key, params } = {}) {
  const options = { method, headers: {} };
  const url = new URL(`${server}/api/v1${path}`);
  if (key) options.headers.Authorization = `Basic ${btoa(key)}`;
  if (params && method === "GET") url.search = new URLSearchParams(params);
  else if (params) options.body = params instanceof FormData ? params : new URLSearchParams(params);
  const response = await fetch(url, options);
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.json() };
}

/** The result of a call: its reply, or the name of the browser's error. */
async function attempt(...call) {
  try {
    return await api(...call);
  } catch (error) {
    return { error: error.name };
  }
}

/** Polls until an event of a type arrives. */
async function awaitEvent(server, key, queue, type) {
  let last = queue.last_event_id;
  for (;;) {
    const params = { queue_id: queue.queue_id, last_event_id: last };
    const { body } = await api(server, "/events", { key, params });
    for (const event of body.events) {
      if (event.type === type) return event;
      last = Math.max(last, event.id);
    }
  }
}

/** Uploads a text and reads it back. */
async function uploadAndRead(server, key, text) {
  const form = new FormData();
  form.append("file", new Blob([text], { type: "text/plain" }), "note.txt");
  const { body } = await api(server, "/user_uploads", { method: "POST", key, params: form });
  const headers = { Authorization: `Basic ${btoa(key)}` };
  return (await fetch(server + body.url, { headers })).text();
}

/** Shows a picture, then shows it again in a way that lets the page read it; returns how each load ended. */
async function seeTwice(picture) {
  const seen = [];
  for (const crossOrigin of [null, "anonymous"]) {
    const image = new Image();
    image.crossOrigin = crossOrigin;
    const end = new Promise((resolve) => {
      image.onload = image.onerror = (event) => resolve(event.type);
    });
    image.src = picture;
    seen.push(await end);
  }
  return seen;
}

/** Makes a call of control: GET, or POST with a body. */
async function steer(server, path, body) {
  const options = body
    ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }
    : {};
  return (await fetch(`${server}/control${path}`, options)).json();
}

/** Registers, polls forever, and prints the text of each message. */
async function printMessages(server, key) {
  const params = { event_types: '["message"]' };
  const { body } = await api(server, "/register", { method: "POST", key, params });
  const queue = { queue_id: body.queue_id, last_event_id: body.last_event_id };
  for (;;) {
    const event = await awaitEvent(server, key, queue, "message");
    queue.last_event_id = event.id;
    await printText(event.message.content);
  }
}
