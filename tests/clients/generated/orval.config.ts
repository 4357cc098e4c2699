// Both documents; the functions call `request` of orval-request.ts, which knows where the server is.

const client = (name: string) => ({
  input: `out/${name}.json`,
  output: {
    target: `out/orval/${name}.ts`,
    client: "fetch",
    override: {
      mutator: { path: "./orval-request.ts", name: "request" },
      formUrlEncoded: { path: "./orval-request.ts", name: "form" },
    },
  },
});

export default { api: client("api"), control: client("control") };
