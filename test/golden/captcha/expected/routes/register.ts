// Route "register": /register to upstream "shop".
// Compiled by gwc 0.1.0 from shop.yaml:13:5, plan 6df34d68. Change the config, not this file.

import { captcha } from "gwc/plugins/captcha";
import { defineRoute } from "gwc/runtime";

// shop.yaml:17:7 captcha
const captchaCheck = captcha({
  url: "https://captcha.internal",
  siteKey: "shop-front",
  apiKey: "${{CAPTCHA_API_KEY:=change-me}}",
  tokenFrom: ["header", "json"],
  pointer: ["captcha", "a/b"],
  policy: "fail-open",
});

export default defineRoute({
  id: "register",
  resources: [captchaCheck.resource],
  credentials: { headers: ["x-captcha-token"], query: ["captcha-token"] },

  rewrite(x) {
    // shop.yaml:24:27 captcha._meta.filter
    if (x.request.headers.get("x-app") === "native") return;

    captchaCheck.clean(x);
  },

  async access(x) {
    // shop.yaml:24:27 captcha._meta.filter
    if (x.request.headers.get("x-app") === "native") return;

    if (await captchaCheck.refuses(x, '{"error":"solve it"}', "application/json")) return;
  },
});
