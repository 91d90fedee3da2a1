// Route "register": /register to upstream "shop".
// Compiled by gwc 0.2.0 from routes/register, plan bf9ac8da. Change the config, not this file.

import { captcha } from "gwc/plugins/captcha";
import { defineRoute } from "gwc/runtime";

// routes/register plugins.captcha
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
    // routes/register plugins.captcha._meta.filter[0]
    if (x.request.headers.get("x-app") === "native") return;

    captchaCheck.clean(x);
  },

  async access(x) {
    // routes/register plugins.captcha._meta.filter[0]
    if (x.request.headers.get("x-app") === "native") return;

    if (await captchaCheck.rejects(x, '{"error":"solve it"}', "application/json")) return;
  },
});
//# sourceMappingURL=register.js.map
