"use strict";

// The stock JavaScript client's own event loop, as mel: prints the text of each message that it receives.

const connect = require("zulip-js");

const config = { username: "mel@chat.test", apiKey: "melKey00000000000000000000000000", realm: process.argv[2] };
const tell = (event) => {
  if (event.type === "message") console.log(event.message.content);
};
connect(config).then((zulip) => zulip.callOnEachEvent(tell, ["message"]));
