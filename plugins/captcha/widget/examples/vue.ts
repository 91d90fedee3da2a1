/** A form of Vue that asks at its submit; bundled as it is. */
// 8<
import { Captcha, type CaptchaHandle } from "gwc/captcha/vue";
import { createApp, defineComponent, h, ref } from "vue";

const Registration = defineComponent(() => {
  const captcha = ref<CaptchaHandle>();
  const status = ref("");

  async function send(event: SubmitEvent) {
    event.preventDefault();
    const body = new FormData(event.currentTarget as HTMLFormElement);
    try {
      body.set("captcha-token", (await captcha.value?.execute()) ?? "");
      const answer = await fetch("/submit", { method: "POST", body });
      status.value = answer.ok ? "Sent" : "Refused";
    } catch (error) {
      status.value = error instanceof Error ? error.message : String(error);
    }
  }

  return () =>
    h("form", { onSubmit: send }, [
      h("input", { name: "email", type: "email", "aria-label": "E-mail" }),
      h(Captcha, {
        ref: captcha,
        url: "{captcha_url}",
        sitekey: "{site_key}",
        language: "en",
        size: "invisible",
      }),
      h("button", "Register"),
      h("output", status.value),
    ]);
});

createApp(Registration).mount("#app");
// >8
