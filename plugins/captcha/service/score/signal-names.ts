/** Closed lists for the checkbox frame (captcha reference section 3.2). Imported by the widget: no imports. */

/** Group A; the frame always looks for all of them (W12). */
export const MARKS = [
  /** `navigator.webdriver === true`. */
  "webdriver",
  /** An own property hides the getter of `Navigator.prototype`. */
  "webdriver_override",
  /** A global that a driver leaves behind on window or document (selenium, webdriver, phantom, nightmare, `cdc_`). */
  "driver_global",
  /** An attribute of the root element that a driver sets ("selenium", "webdriver", "driver"). */
  "driver_attribute",
  /** A binding that Playwright or Puppeteer adds to the page. */
  "driver_binding",
  /** "Headless" in the UA or in the client hints. */
  "headless_ua",
  /**
   * A window without outer size although the document has the focus; zero is normal for a new tab in the
   * background.
   */
  "zero_window",
  /** `Function.prototype.toString` of a native function does not contain "native". */
  "patched_natives",
  /** Chromium: `permissions.query` and `Notification.permission` disagree. */
  "permissions_differ",
] as const;
export type Mark = (typeof MARKS)[number];

/** Group B. */
export const CONTRADICTIONS = [
  /** The UA's platform differs from `navigator.platform`. */
  "platform",
  /** The UA's platform differs from `navigator.userAgentData`. */
  "client_hints_platform",
  /** A Chromium UA without `window.chrome`; not checked in WebView and on iOS. */
  "no_chrome_object",
  /** `navigator.productSub` differs from that of the engine in the UA. */
  "product_sub",
  /** `eval.toString().length` differs from that of the engine in the UA. */
  "eval_length",
  "no_languages",
  /** SwiftShader, llvmpipe and the like: also remote desktops, virtual machines, Tor Browser. */
  "software_renderer",
  /** A UA of a touch device with `maxTouchPoints` 0. */
  "no_touch_points",
  /** Chromium on a desktop without plugins. */
  "no_plugins",
] as const;
export type Contradiction = (typeof CONTRADICTIONS)[number];
