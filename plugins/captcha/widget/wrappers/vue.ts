/** The captcha as a component of Vue 3. */
import { defineComponent, h, onBeforeUnmount, onMounted, type PropType, ref, watch } from "vue";
import { type CaptchaFault, type CaptchaSettings, type CaptchaWidget, renderCaptcha } from "./module.js";

export type { CaptchaFault } from "./module.js";

/** Value of a template ref of the component. */
export interface CaptchaHandle extends Pick<CaptchaWidget, "execute" | "reset"> {
  /** The token, or "". */
  token(): string;
}

const word = <Words extends string | undefined>() => ({
  type: String as unknown as PropType<Words>,
  default: undefined,
});

/** Emits `token`, `error` and `expired`. New settings make a new widget. */
export const Captcha = defineComponent({
  name: "SpCaptcha",
  props: {
    /** Address of the captcha service. */
    url: { type: String, required: true },
    sitekey: { type: String, required: true },
    language: word<CaptchaSettings["language"]>(),
    theme: word<CaptchaSettings["theme"]>(),
    size: word<CaptchaSettings["size"]>(),
    action: word<CaptchaSettings["action"]>(),
    field: word<CaptchaSettings["field"]>(),
  },
  emits: {
    token: (token: string) => typeof token === "string",
    error: (fault: CaptchaFault) => typeof fault.code === "string",
    expired: () => true,
  },
  setup(props, { emit, expose }) {
    const place = ref<HTMLDivElement>();
    let widget: CaptchaWidget | undefined;
    let made: Promise<CaptchaWidget> | undefined;
    let leave = (): void => {};

    function enter(): void {
      if (place.value === undefined) return;
      // A container of its own, so that an unmount while the script loads cannot lead to two widgets in one.
      const container = document.createElement("div");
      place.value.append(container);
      const { url, ...settings } = props;
      const making = renderCaptcha(url, container, settings, {
        onToken: (token) => emit("token", token),
        onError: (fault) => emit("error", fault),
        onExpired: () => emit("expired"),
      });
      made = making;
      making.then(
        (one) => {
          if (made === making) widget = one;
        },
        (fault: CaptchaFault) => {
          if (made === making) emit("error", fault);
        },
      );
      leave = () => {
        widget = made = undefined;
        container.remove();
        making.then((one) => one.remove()).catch(() => undefined);
      };
    }

    onMounted(enter);
    onBeforeUnmount(() => leave());
    watch(
      () => ({ ...props }),
      () => {
        leave();
        enter();
      },
      { flush: "post" },
    );
    expose({
      token: () => widget?.token ?? "",
      async execute() {
        if (made === undefined) throw new Error("the captcha is not on the page");
        return (await made).execute();
      },
      reset: () => widget?.reset(),
    } satisfies CaptchaHandle);
    return () => h("div", { ref: place });
  },
});
