import type { Mark } from "../../service/score/model.js";

/** Group A (reference 3.2): traces of drivers. All detectors always run (W12). */
const DETECTORS: Record<Mark, () => boolean> = {
  webdriver: () => navigator.webdriver === true,
  webdriver_override: () => Object.getOwnPropertyNames(navigator).includes("webdriver"),
  driver_global: () => names(globalThis).some(isDriverName) || names(document).some(isDriverName),
  driver_attribute: () =>
    ["selenium", "webdriver", "driver"].some((name) => document.documentElement.hasAttribute(name)),
  driver_binding: () =>
    names(globalThis).some((name) => /^(?:__playwright|__pw_|__puppeteer|puppeteer_)/.test(name)),
  headless_ua: () =>
    /headless/i.test(navigator.userAgent) || brands().some((brand) => /headless/i.test(brand)),
  // Zero is normal for a tab that was opened in the background.
  zero_window: () => document.hasFocus() && outerWidth === 0 && outerHeight === 0,
  patched_natives: () =>
    [fetch, setTimeout, Function.prototype.toString, Element.prototype.attachShadow].some(isPatched),
  permissions_differ: () => false,
};

const names = (object: object): string[] => Object.getOwnPropertyNames(object);

const isDriverName = (name: string): boolean =>
  /^(?:\$?cdc_|__webdriver|__selenium|__fxdriver|__driver_|_selenium|_?phantom|callPhantom|__nightmare|domAutomation|webdriver)/i.test(
    name,
  ) || /^(?:calledSelenium|\$chrome_asyncScriptInfo)$/.test(name);

const isPatched = (native: unknown): boolean =>
  typeof native === "function" &&
  !/\{\s*\[native code\]\s*\}$/.test(Function.prototype.toString.call(native));

interface Hints {
  userAgentData?: { brands?: { brand: string }[]; platform?: string };
}
const brands = (): string[] => (navigator as Hints).userAgentData?.brands?.map(({ brand }) => brand) ?? [];

/** Chromium: both values come from one setting, so they agree unless one was patched. Never rejects. */
export async function permissionsDiffer(): Promise<boolean> {
  try {
    if (brands().length === 0 || typeof Notification === "undefined") return false;
    const { state } = await navigator.permissions.query({ name: "notifications" });
    // In a frame of another site the permission is denied while the query may return "prompt"; patches cause
    // granted against denied.
    return Notification.permission === "granted"
      ? state === "denied"
      : Notification.permission === "denied" && state === "granted";
  } catch {
    return false;
  }
}

/** @param differ result of `permissionsDiffer` */
export function findMarks(differ: boolean): Mark[] {
  const found = (Object.keys(DETECTORS) as Mark[]).filter((mark) => holds(DETECTORS[mark]));
  return differ ? [...found, "permissions_differ"] : found;
}

/** A browser in which a detector fails does not have the mark. */
function holds(detector: () => boolean): boolean {
  try {
    return detector();
  } catch {
    return false;
  }
}
