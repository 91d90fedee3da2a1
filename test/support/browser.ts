import { existsSync } from "node:fs";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";

/** Debian's Chromium; playwright-core brings no browser of its own. */
const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export const CHROMIUM: string | undefined = PLACES.find((path) => existsSync(path));

/** Why browser tests are left out, or undefined when they run. */
export const WITHOUT_BROWSER: string | undefined = CHROMIUM
  ? undefined
  : `browser tests are left out: none of ${PLACES.join(", ")} is there (apt-get install chromium)`;
if (WITHOUT_BROWSER) process.stderr.write(`${WITHOUT_BROWSER}\n`);

/**
 * Headless Chromium as a person's: only input that playwright makes through the DevTools protocol is trusted, and no flag turns a
 * check of the widget off. Names below `localhost` are loopback to it, so that pages and service have origins and sites of their own.
 */
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  if (!CHROMIUM) throw new Error(WITHOUT_BROWSER);
  return chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    ...options,
    args: [
      // The sandbox cannot be set up by root.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      // Containers have a /dev/shm of 64 MB.
      "--disable-dev-shm-usage",
      "--disable-gpu",
      ...(options.args ?? []),
    ],
  });
}
