"use strict";

// Texts that attack, in every place that the page shows.

const { api } = require("./program");

/** A text that would run a script if it were taken for HTML. */
const attackOf = (place) => `<img src=x onerror=attack('${place}')>`;

/** Writes such texts wherever the API and control take one that the page shows. */
async function plantAttacks(world, steer) {
  await api(world, "olive", "POST", "/users/me/subscriptions", {
    subscriptions: [
      { name: attackOf("channel"), description: `<script>attack(2)</script> ${attackOf("description")}` },
    ],
    principals: ["mel@chat.test", "max@chat.test", "olive@chat.test"],
  });
  const sent = await api(world, "olive", "POST", "/messages", {
    type: "channel",
    to: attackOf("channel"),
    topic: `\u202e${attackOf("topic")}`,
    content: `${attackOf("content")} \u202emirrored <svg onload=attack(3)>`,
  });
  await api(world, "mel", "PATCH", "/settings", { full_name: "Mel 'onerror=attack(4)' \u202eevil" });
  await api(world, "mel", "POST", "/users/me/status", { status_text: attackOf("status") });
  await api(world, "mel", "POST", "/saved_snippets", { title: attackOf("title"), content: attackOf("snippet") });
  await api(world, "olive", "POST", "/user_groups/create", {
    name: attackOf("group"),
    description: attackOf("group's description"),
    members: [],
  });
  const later = Math.round(Date.parse("2026-01-05T09:00:00Z") / 1000) + 86_400;
  await api(world, "olive", "POST", "/reminders", {
    message_id: sent.id,
    scheduled_delivery_timestamp: later,
    note: attackOf("reminder"),
  });
  await api(world, "max", "POST", "/messages", {
    type: "direct",
    to: ["mel@chat.test"],
    content: attackOf("direct"),
  });
  await steer("/faults", { match: { params: { content: attackOf("fault") } }, effect: { garbage: true } });
  const query = new URLSearchParams({ [attackOf("parameter")]: attackOf("value") });
  await fetch(`${world}/api/v1/users/me?${query}`, {
    headers: {
      Authorization: `Basic ${Buffer.from("mel@chat.test:melKey00000000000000000000000000").toString("base64")}`,
      "User-Agent": attackOf("client"),
    },
  });
}

module.exports = { attackOf, plantAttacks };
