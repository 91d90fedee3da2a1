// Route "register": /register to upstream "shop".
// Compiled by gwc 0.1.0 from shop.yaml:13:5, plan d8ab494a. Change the config, not this file.

import { captcha } from "gwc/plugins/captcha";
import { defineRoute } from "gwc/runtime";

// shop.yaml:17:7 captcha
const captchaCheck = captcha({
  key: "82770a0da922d7b5d5d9396dcc36c0597f9c507a6476caa00f7744b72ebfb7ef",
  url: "https://captcha.internal",
  siteKey: "shop-front",
  timeoutMs: 2000,
  retries: 1,
  ca: null,
  apiKey: "${{CAPTCHA_API_KEY:=change-me}}",
  methods: ["POST", "PUT", "PATCH", "DELETE"],
  tokenFrom: ["header", "json"],
  field: "captcha-token",
  header: "x-captcha-token",
  pointer: ["captcha", "a/b"],
  maxBodyBytes: 65536,
  maxMultipartBytes: 1048576,
  stripField: true,
  sendIp: true,
  policy: "fail-open",
  rejectStatus: 403,
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
