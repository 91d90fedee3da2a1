/** Loads the service's script and adds types; works with every version, as it contains no code of the widget. */

/** Error of `execute`, the error callback and `loadCaptcha`; docs/captcha/errors.md lists the codes. */
export interface CaptchaFault {
  /** One of the widget's, or `script_not_loaded`. */
  code: string;
  /** For visitors, in the language of the widget. */
  message: string;
  retryable: boolean;
}

export interface CaptchaSettings {
  /** Public key of the site. */
  sitekey: string;
  /** Default: "ru". */
  language?: "ru" | "en" | undefined;
  /** Default: that of the site key. */
  theme?: "auto" | "light" | "dark" | undefined;
  /** Default: "normal"; "invisible" has no box, the page calls `execute`. */
  size?: "normal" | "compact" | "invisible" | undefined;
  /** Returned by the verification: up to 32 of `A-Z a-z 0-9 _ -`. */
  action?: string | undefined;
  /** Name of a hidden field for the token inside the container. Default: no field. */
  field?: string | undefined;
}

export interface CaptchaEvents {
  onToken?: ((token: string) => void) | undefined;
  onError?: ((fault: CaptchaFault) => void) | undefined;
  /** Called when the token has expired; the field is already empty. */
  onExpired?: (() => void) | undefined;
}

/** One widget on the page. */
export interface CaptchaWidget {
  /** The token, or "". */
  readonly token: string;
  /** Requests a token of a widget without a box. Rejects with an Error that is a CaptchaFault. */
  execute(): Promise<string>;
  /** Resets the widget after a rejected request: a token is valid for one verification. */
  reset(): void;
  /** Removes the widget from the page. */
  remove(): void;
}

/** Used part of `window.spCaptcha` (docs/captcha/README.md). */
interface PageObject {
  render(container: Element, settings: Readonly<Record<string, unknown>>): string | undefined;
  getResponse(widget: string): string;
  execute(widget: string): Promise<string>;
  reset(widget: string): void;
  remove(widget: string): void;
}

declare global {
  interface Window {
    readonly spCaptcha?: PageObject;
  }
}

let loading: Promise<PageObject> | undefined;

/**
 * Loads `{url}/captcha.js` once, or waits for the page's own tag of it.
 * @returns promise that rejects with the code `script_not_loaded`; the next call tries again
 */
function loadCaptcha(url: string): Promise<PageObject> {
  loading ??= insertScript(url.replace(/\/+$/, "")).catch((fault: unknown) => {
    loading = undefined;
    throw fault;
  });
  return loading;
}

function insertScript(base: string): Promise<PageObject> {
  return new Promise((resolve, reject) => {
    // No tag of a fully loaded page is still loading: a missing script was blocked.
    const own = document.readyState === "complete" ? null : document.querySelector(tagOf(base));
    const script = own ?? document.createElement("script");
    const failed = (): void => {
      script.remove();
      const fault: CaptchaFault = {
        code: "script_not_loaded",
        message: "The captcha could not be loaded.",
        retryable: true,
      };
      reject(Object.assign(new Error(fault.message), fault));
    };
    const loaded = (): void => (window.spCaptcha === undefined ? failed() : resolve(window.spCaptcha));
    if (window.spCaptcha !== undefined) return loaded();
    script.addEventListener("load", loaded);
    script.addEventListener("error", failed);
    if (own !== null) return;
    try {
      // Throws on pages that require trusted types: those have a tag of their own.
      Object.assign(script, { src: `${base}/captcha.js`, async: true });
      document.head.append(script);
    } catch {
      failed();
    }
  });
}

/** Matches a tag with the versioned name, too, which a page may have pinned. */
const tagOf = (base: string): string => `script[src^="${CSS.escape(base)}/captcha"]`;

/** Makes a widget in a container, which must have none yet and no class `sp-captcha`. @param url of the service */
export async function renderCaptcha(
  url: string,
  container: HTMLElement,
  { sitekey, language, theme, size, action, field }: CaptchaSettings,
  { onToken, onError, onExpired }: CaptchaEvents = {},
): Promise<CaptchaWidget> {
  const page = await loadCaptcha(url);
  const widget = page.render(container, {
    ...{ sitekey, language, theme, size, action },
    ...(field !== undefined && { "response-field": true, "response-field-name": field }),
    callback: (token: string) => onToken?.(token),
    "error-callback": (fault: CaptchaFault) => onError?.(fault),
    "expired-callback": () => onExpired?.(),
  });
  // Only a container that is no HTML element has none.
  const name = widget ?? "";
  return {
    get token() {
      return page.getResponse(name);
    },
    execute: () => page.execute(name),
    reset: () => page.reset(name),
    remove: () => page.remove(name),
  };
}
