// Route "feedback": /feedback to upstream "shop".
// Compiled by gwc 0.2.0 from routes/feedback, plan 4903dfd1. Change the config, not this file.

import { captcha } from "gwc/plugins/captcha";
import { consumerKeys } from "gwc/plugins/key-auth";
import { defineRoute } from "gwc/runtime";

// routes/feedback plugins.captcha
const captchaCheck = captcha({
  url: "http://127.0.0.1:9088",
  siteKey: "shop-front",
  apiKey: "${{CAPTCHA_API_KEY:=change-me}}",
});

// routes/feedback plugins.key-auth
const consumers = consumerKeys(["app", "${{APP_KEY:=change-me}}"]);
const missingKey = '{"message":"Missing API key in request"}\n';
const wrongKey = '{"message":"Invalid API key in request"}\n';

export default defineRoute({
  id: "feedback",
  resources: [captchaCheck.resource],
  credentials: { headers: ["apikey", "x-captcha-token"], query: ["apikey", "captcha-token"] },

  rewrite(x) {
    // routes/feedback plugins.captcha
    captchaCheck.clean(x);
  },

  async access(x) {
    // routes/feedback plugins.key-auth
    {
      const key = x.request.headers.get("apikey") ?? x.arg("apikey");
      const consumer = consumers.find(key);
      if (consumer === undefined) {
        x.respond(401, key === undefined ? missingKey : wrongKey, "application/json");
        x.response.headers.set("WWW-Authenticate", 'ApiKey realm="gateway"');
        return;
      }
      x.consumerName = consumer;
    }

    // routes/feedback plugins.captcha
    if (await captchaCheck.rejects(x)) return;
  },
});
//# sourceMappingURL=feedback.js.map
