// Route "sessions": /* to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:5:5, plan d053ae8b. Change the config, not this file.

import { defineRoute, matches } from "gwc/runtime";

// shop.yaml:8:39
const pattern0 = /^x/;

export default defineRoute({
  id: "sessions",

  match(x) {
    const argBeta = x.arg("beta");
    // shop.yaml:8:16 vars
    return argBeta === "1" || matches(pattern0, argBeta);
  },

  rewrite(x) {
    const cookieSid = x.cookie("sid");
    // shop.yaml:11:27 proxy-rewrite._meta.filter
    if (cookieSid === undefined) return;

    x.upstream.headers.set("X-Session", `${cookieSid ?? ""}; ${cookieSid ?? ""}`);
  },

  headerFilter(x) {
    const sentHttpContentType = x.response.headers.get("content-type");
    // shop.yaml:14:9 response-rewrite.vars
    if (sentHttpContentType !== "text/html" && sentHttpContentType !== "text/plain") return;

    x.response.headers.set("X-Type", x.response.headers.get("content-type") ?? "");
  },
});
