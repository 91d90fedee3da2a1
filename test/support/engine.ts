import type { Browser, LaunchOptions } from "playwright-core";
import { launchBrowser, WITHOUT_BROWSER } from "./browser.js";
import { type FirefoxPreferences, launchFirefox, WITHOUT_FIREFOX } from "./firefox.js";

/** The suite runs in Chromium, and again in Firefox as vitest's project "firefox". */
const IN_FIREFOX = process.env["GWC_WIDGET_BROWSER"] === "firefox";

/** Reason for skipping the suite; undefined if it runs. */
export const WITHOUT_ENGINE: string | undefined = IN_FIREFOX ? WITHOUT_FIREFOX : WITHOUT_BROWSER;

/** Name of the browser for titles, and a launcher of a separate browser. */
export const ENGINE: { name: string; launch: () => Promise<Browser> } = IN_FIREFOX
  ? { name: "Firefox ESR", launch: () => launchFirefox() }
  : { name: "Chromium", launch: () => launchBrowser() };

/**
 * System settings of a visitor, for a whole browser: a context of Chromium emulates them, the driver of
 * Firefox does not.
 */
const WISHES = {
  calm: { args: ["--force-prefers-reduced-motion"], preferences: { "ui.prefersReducedMotion": 1 } },
  dark: { args: [], preferences: { "layout.css.prefers-color-scheme.content-override": 0 } },
  forcedColors: { args: [], preferences: { "browser.display.document_color_use": 2 } },
} satisfies Record<string, { args: string[]; preferences: FirefoxPreferences }>;
export type Wish = keyof typeof WISHES;

export interface Engine {
  readonly browser: Browser;
  /** Closes the browser unless files share it. */
  close(): Promise<void>;
}

/** One Firefox for all files of a process, which closes with it: a start takes 2.5 s of CPU time. */
let shared: Browser | undefined;

/** @param options options of Chromium; a test that needs them is skipped in Firefox */
export async function launchEngine(options: LaunchOptions, wish?: Wish): Promise<Engine> {
  const wishes = wish === undefined ? undefined : WISHES[wish];
  if (!IN_FIREFOX) {
    const args = [...(options.args ?? []), ...(wishes?.args ?? [])];
    const browser = await launchBrowser({ ...options, args });
    return { browser, close: () => browser.close() };
  }
  if (wishes !== undefined) {
    const browser = await launchFirefox(wishes.preferences);
    return { browser, close: () => browser.close() };
  }
  if (shared?.isConnected() !== true) shared = await launchFirefox();
  return { browser: shared, close: async () => {} };
}

/**
 * Visibility that the frame reports for a page that covers or fades it. Firefox does not observe visibility
 * and reports null rather than "seen".
 */
export const COVERED = IN_FIREFOX ? null : false;

export const CANNOT = { tree: "the accessibility tree is read by the DevTools protocol" } as const;

/**
 * For `skipIf`, if a test needs a feature of Playwright that the driver of Firefox, WebDriver BiDi, lacks.
 * @returns true in Firefox; it also prints the reason
 */
export function leftOutInFirefox(reason: string): boolean {
  if (IN_FIREFOX) process.stderr.write(`left out in Firefox: ${reason}\n`);
  return IN_FIREFOX;
}

/**
 * For `each`: in the second engine one case of each kind is enough, if the cases differ in nothing that the
 * engine does.
 */
export const fewerInFirefox = <T>(cases: readonly T[], few: (one: T) => boolean): T[] =>
  cases.filter((one) => !IN_FIREFOX || few(one));
