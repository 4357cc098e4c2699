// Uploads a file piece by piece with the stock tus client, breaks off, resumes, and reads the file back.
//
// Usage: upload.js URL

const tus = require("tus-js-client");

const EMAIL = "mel@chat.test";
const CONTENT = Buffer.from(Array.from({ length: 300_000 }, (_, number) => number % 251));
const CHUNK = 64 * 1024;

function check(holds, what, details = "") {
  console.log(`${holds ? "ok" : "not ok"} - ${what} ${holds ? "" : details}`);
  if (!holds) {
    process.exit(1);
  }
}

function upload(endpoint, headers, options, breakOffAt) {
  return new Promise((resolve, reject) => {
    const one = new tus.Upload(CONTENT, {
      endpoint,
      headers,
      chunkSize: CHUNK,
      retryDelays: null,
      metadata: { filename: "numbers.bin", filetype: "application/octet-stream" },
      ...options,
      onError: reject,
      onSuccess: () => resolve(one.url),
      onChunkComplete: (_, accepted) => {
        if (breakOffAt !== undefined && accepted >= breakOffAt) {
          one.abort().then(() => resolve(one.url), reject);
        }
      },
    });
    one.start();
  });
}

async function main(url) {
  const form = new URLSearchParams({ username: EMAIL });
  const { api_key: key } = await (
    await fetch(`${url}/api/v1/dev_fetch_api_key`, { method: "POST", body: form })
  ).json();
  const headers = { Authorization: `Basic ${Buffer.from(`${EMAIL}:${key}`).toString("base64")}` };
  const endpoint = `${url}/api/v1/tus/`;

  const begun = await upload(endpoint, headers, {}, 2 * CHUNK);
  check(begun.startsWith(endpoint), "an upload begins and is broken off", begun);
  const finished = await upload(endpoint, headers, { uploadUrl: begun });
  check(finished === begun, "it is resumed and finished", finished);

  const { attachments } = await (await fetch(`${url}/api/v1/attachments`, { headers })).json();
  const found = attachments.filter((one) => one.name === "numbers.bin");
  check(
    found.length === 1 && found[0].size === CONTENT.length,
    "it is an ordinary upload",
    JSON.stringify(attachments),
  );
  const read = await fetch(`${url}/user_uploads/${found[0].path_id}`, { headers });
  check(CONTENT.equals(Buffer.from(await read.arrayBuffer())), "it is read back byte for byte", read.status);

  const refused = await upload(endpoint, {}, {}).then(
    () => 200,
    (error) => error.originalResponse.getStatus(),
  );
  check(refused === 401, "an upload without credentials is refused", refused);
}

main(process.argv[2]).catch((error) => {
  console.log(`not ok - ${error}`);
  process.exit(1);
});
