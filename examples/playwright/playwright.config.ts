import { defineConfig } from "@playwright/test";

// A browser of the machine's, where one is named; otherwise the one that Playwright installs.
const browser = process.env.BROWSER;

export default defineConfig({
  workers: 2,
  reporter: "list",
  use: browser ? { launchOptions: { executablePath: browser, args: ["--no-sandbox"] } } : {},
});
