// Route "sessions": /* to upstream "orders".
// Compiled by gwc 0.2.0 from routes/sessions, plan bbce7e4a. Change the config, not this file.

import { defineRoute, matches } from "gwc/runtime";

// routes/sessions vars[2]
const argBetaPattern = /^x/;

export default defineRoute({
  id: "sessions",
  withheld: { request: ["x-session"], response: ["x-type"] },

  match(x) {
    const argBeta = x.arg("beta");
    // routes/sessions vars[1]
    return argBeta === "1" || matches(argBetaPattern, argBeta);
  },

  rewrite(x) {
    const cookieSid = x.cookie("sid");
    // routes/sessions plugins.proxy-rewrite._meta.filter[0]
    if (cookieSid === undefined) return;

    x.upstream.headers.set("X-Session", `${cookieSid}; ${cookieSid}`);
  },

  headerFilter(x) {
    const sentHttpContentType = x.response.headers.get("content-type");
    // routes/sessions plugins.response-rewrite.vars
    if (sentHttpContentType !== "text/html" && sentHttpContentType !== "text/plain") return;

    x.response.headers.set("X-Type", sentHttpContentType);
  },
});
//# sourceMappingURL=sessions.js.map
