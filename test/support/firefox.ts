import { existsSync } from "node:fs";
import { type Browser, firefox } from "playwright-core";

const FIREFOX = "/usr/bin/firefox-esr";

/** Reason for skipping tests in Firefox; undefined if they run. */
export const WITHOUT_FIREFOX: string | undefined = existsSync(FIREFOX)
  ? undefined
  : `tests in Firefox are left out: ${FIREFOX} is not there (apt-get install firefox-esr)`;
if (WITHOUT_FIREFOX) process.stderr.write(`${WITHOUT_FIREFOX}\n`);

/**
 * Parts of Playwright that its types omit: the objects behind those of its library, with the session of
 * WebDriver BiDi.
 */
interface WithImplementation {
  _connection: { toImpl(browser: object): { _browserSession: BidiSession } };
}
interface BidiSession {
  send(method: string, parameters: object): Promise<object>;
}

/**
 * Commands that Playwright sends to each new window and Firefox ESR lacks (seen with 153): the colors of the
 * system stay.
 */
const UNKNOWN: ReadonlySet<string> = new Set(["emulation.setMediaFeaturesOverride"]);

/** Preferences as in `about:config`. */
export type FirefoxPreferences = Readonly<Record<string, string | number | boolean>>;

/**
 * Firefox ESR of Debian, headless and driven by WebDriver BiDi: Playwright's own protocol needs its own
 * build.
 */
export async function launchFirefox(preferences: FirefoxPreferences = {}): Promise<Browser> {
  if (WITHOUT_FIREFOX) throw new Error(WITHOUT_FIREFOX);
  const browser = await firefox.launch({
    channel: "moz-firefox",
    executablePath: FIREFOX,
    headless: true,
    firefoxUserPrefs: {
      "fission.webContentIsolationStrategy": 0,
      "fission.autostart": false,
      ...preferences,
    },
  });
  const session = (browser as unknown as WithImplementation)._connection.toImpl(browser)._browserSession;
  const send = session.send.bind(session);
  session.send = (method, parameters) =>
    UNKNOWN.has(method) ? Promise.resolve({}) : send(method, parameters);
  return browser;
}
