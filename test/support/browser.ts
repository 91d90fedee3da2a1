import { existsSync } from "node:fs";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";

/** Chromium of Debian; playwright-core includes no browser. */
const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const CHROMIUM: string | undefined = PLACES.find((path) => existsSync(path));

/** Reason for skipping browser tests; undefined if they run. */
export const WITHOUT_BROWSER: string | undefined = CHROMIUM
  ? undefined
  : `browser tests are left out: none of ${PLACES.join(", ")} is there (apt-get install chromium)`;
if (WITHOUT_BROWSER) process.stderr.write(`${WITHOUT_BROWSER}\n`);

/**
 * Headless Chromium like that of a person. Only input that playwright makes through the DevTools protocol is
 * trusted, and no flag disables a check of the widget. It resolves names below `localhost` to loopback, so
 * that pages and the service have different origins and sites.
 */
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  if (!CHROMIUM) throw new Error(WITHOUT_BROWSER);
  return chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    ...options,
    args: [
      // Root cannot set up the sandbox.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      // Containers have a /dev/shm of 64 MB.
      "--disable-dev-shm-usage",
      "--disable-gpu",
      ...(options.args ?? []),
    ],
  });
}
