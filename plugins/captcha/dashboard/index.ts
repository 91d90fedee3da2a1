import { IconShieldCheck } from "@tabler/icons-react";
import type { PluginPage } from "../../../runtime/dashboard/plugin-page";

export const page: PluginPage = {
  name: "captcha",
  key: "k",
  icon: IconShieldCheck,
  label: { en: "Captcha", ru: "Капча" },
  attention: {
    en: {
      "attention.captcha.no_verdict":
        "Captcha of route {{route}} receives no verdict from {{url}}: {{error}}. Forms are rejected with 503, or forwarded unverified with policy fail-open",
      "attention.do.captcha.no_verdict":
        "Set captcha_url of the plugin to where the captcha service listens, or start the service.",
    },
    ru: {
      "attention.captcha.no_verdict":
        "Капча маршрута {{route}} не получает ответа от {{url}}: {{error}}. На формы отвечает 503, а при policy fail-open они проходят без проверки",
      "attention.do.captcha.no_verdict":
        "Укажите в captcha_url плагина адрес, на котором слушает сервис капчи, или запустите сервис.",
    },
  },
  async load() {
    const [{ CaptchaPage }, { en }, { ru }] = await Promise.all([
      import("./page"),
      import("./en"),
      import("./ru"),
    ]);
    return { Page: CaptchaPage, texts: { en, ru } };
  },
};
