/** The captcha as a component of React 18 and 19. */
import { createElement, forwardRef, useEffect, useImperativeHandle, useRef } from "react";
import { type CaptchaEvents, type CaptchaSettings, type CaptchaWidget, renderCaptcha } from "./module.js";

export type { CaptchaFault } from "./module.js";

export interface CaptchaProps extends CaptchaSettings, CaptchaEvents {
  /** Address of the captcha service. */
  url: string;
}

/** Value of a `ref` of the component. */
export type CaptchaHandle = Pick<CaptchaWidget, "token" | "execute" | "reset">;

/** New settings make a new widget; new functions do not. */
export const Captcha = forwardRef<CaptchaHandle, CaptchaProps>(function Captcha(props, ref) {
  const { url, sitekey, language, theme, size, action, field } = props;
  const place = useRef<HTMLDivElement>(null);
  const widget = useRef<CaptchaWidget>(undefined);
  const made = useRef<Promise<CaptchaWidget>>(undefined);
  const events = useRef<CaptchaEvents>(props);
  useEffect(() => {
    events.current = props;
  });
  useEffect(() => {
    if (place.current === null) return;
    // A container of its own, so that an unmount while the script loads cannot lead to two widgets in one.
    const container = document.createElement("div");
    place.current.append(container);
    const settings = { sitekey, language, theme, size, action, field };
    const making = renderCaptcha(url, container, settings, {
      onToken: (token) => events.current.onToken?.(token),
      onError: (fault) => events.current.onError?.(fault),
      onExpired: () => events.current.onExpired?.(),
    });
    made.current = making;
    making.then(
      (one) => {
        if (made.current === making) widget.current = one;
      },
      (fault) => {
        if (made.current === making) events.current.onError?.(fault);
      },
    );
    return () => {
      widget.current = made.current = undefined;
      container.remove();
      making.then((one) => one.remove()).catch(() => undefined);
    };
  }, [url, sitekey, language, theme, size, action, field]);
  useImperativeHandle(
    ref,
    () => ({
      get token() {
        return widget.current?.token ?? "";
      },
      async execute() {
        if (made.current === undefined) throw new Error("the captcha is not on the page");
        return (await made.current).execute();
      },
      reset: () => widget.current?.reset(),
    }),
    [],
  );
  return createElement("div", { ref: place });
});
