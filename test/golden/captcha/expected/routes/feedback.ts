// Route "feedback": /feedback to upstream "shop".
// Compiled by gwc 0.1.0 from shop.yaml:7:5, plan 3f589610. Change the config, not this file.

import { captcha } from "gwc/plugins/captcha";
import { consumerKeys } from "gwc/plugins/key-auth";
import { defineRoute } from "gwc/runtime";

// shop.yaml:11:7 captcha
const captchaCheck = captcha({
  key: "0de3323a7e887c9df579e451637b66383e192391c0a313eb33a710dba2284143",
  url: "http://127.0.0.1:9088",
  siteKey: "shop-front",
  timeoutMs: 2000,
  retries: 1,
  ca: null,
  apiKey: "${{CAPTCHA_API_KEY:=change-me}}",
  methods: ["POST", "PUT", "PATCH", "DELETE"],
  tokenFrom: ["form", "multipart", "json"],
  field: "captcha-token",
  header: "x-captcha-token",
  pointer: ["captcha-token"],
  maxBodyBytes: 65536,
  maxMultipartBytes: 1048576,
  stripField: true,
  sendIp: true,
  policy: "fail-closed",
  rejectStatus: 403,
});

// shop.yaml:12:7 key-auth
const consumers = consumerKeys(["app", "${{APP_KEY:=change-me}}"]);
const missingKey = '{"message":"Missing API key in request"}\n';
const wrongKey = '{"message":"Invalid API key in request"}\n';

export default defineRoute({
  id: "feedback",
  resources: [captchaCheck.resource],
  credentials: { headers: ["apikey", "x-captcha-token"], query: ["apikey", "captcha-token"] },

  rewrite(x) {
    // shop.yaml:11:7 captcha
    captchaCheck.clean(x);
  },

  async access(x) {
    // shop.yaml:12:7 key-auth
    {
      const key = x.request.headers.get("apikey") ?? x.arg("apikey");
      const consumer = consumers.find(key);
      if (consumer === undefined) {
        x.respond(401, key === undefined ? missingKey : wrongKey, "application/json");
        return;
      }
      x.consumerName = consumer;
    }

    // shop.yaml:11:7 captcha
    if (await captchaCheck.refuses(x)) return;
  },
});
