import { defineConfig } from "@playwright/test";

// The browser that BROWSER names, or the one that Playwright installs.
const browser = process.env.BROWSER;

export default defineConfig({
  workers: 2,
  reporter: "list",
  use: browser ? { launchOptions: { executablePath: browser, args: ["--no-sandbox"] } } : {},
});
