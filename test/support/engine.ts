import type { Browser, LaunchOptions } from "playwright-core";
import { launchBrowser, WITHOUT_BROWSER } from "./browser.js";
import { type FirefoxPreferences, launchFirefox, WITHOUT_FIREFOX } from "./firefox.js";

/** The suite runs in Chromium, and once more in Firefox as vitest's project "firefox". */
const IN_FIREFOX = process.env["GWC_WIDGET_BROWSER"] === "firefox";

/** The reason for leaving the suite out, or undefined when it runs. */
export const WITHOUT_ENGINE: string | undefined = IN_FIREFOX ? WITHOUT_FIREFOX : WITHOUT_BROWSER;

/** Name of the browser in titles, and a browser of the caller's own. */
export const ENGINE: { name: string; launch: () => Promise<Browser> } = IN_FIREFOX
  ? { name: "Firefox ESR", launch: () => launchFirefox() }
  : { name: "Chromium", launch: () => launchBrowser() };

/** A visitor's settings of the system, for a whole browser: a context of Chromium's emulates them, Firefox's driver does not. */
const WISHES = {
  calm: { args: ["--force-prefers-reduced-motion"], preferences: { "ui.prefersReducedMotion": 1 } },
  dark: { args: [], preferences: { "layout.css.prefers-color-scheme.content-override": 0 } },
  forcedColors: { args: [], preferences: { "browser.display.document_color_use": 2 } },
} satisfies Record<string, { args: string[]; preferences: FirefoxPreferences }>;
export type Wish = keyof typeof WISHES;

/** A browser for some tests. */
export interface Engine {
  readonly browser: Browser;
  /** Closes the browser unless files share it. */
  close(): Promise<void>;
}

/** One Firefox for all files of a process, ends with it: a start takes two seconds and a half of a processor. */
let shared: Browser | undefined;

/** @param options Chromium's own; a test that needs them is left out in Firefox */
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

/** The frame's knowledge of a page that covers or fades it: Firefox observes no visibility and says nothing rather than "seen". */
export const COVERED = IN_FIREFOX ? null : false;

/** Reasons that several tests share. */
export const CANNOT = { tree: "the accessibility tree is read by the DevTools protocol" } as const;

/**
 * For `skipIf`: a test needs of Playwright what Firefox's driver, WebDriver BiDi, cannot do.
 * @returns whether this is Firefox; the reason is printed then
 */
export function leftOutInFirefox(reason: string): boolean {
  if (IN_FIREFOX) process.stderr.write(`left out in Firefox: ${reason}\n`);
  return IN_FIREFOX;
}

/** For `each`: one of each kind is enough in a second engine if the cases differ in nothing that an engine does. */
export const fewerInFirefox = <T>(cases: readonly T[], few: (one: T) => boolean): T[] =>
  cases.filter((one) => !IN_FIREFOX || few(one));
