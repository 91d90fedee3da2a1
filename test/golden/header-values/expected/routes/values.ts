// Route "values": /values to upstream "orders".
// Compiled by gwc 0.2.0 from routes/values, plan 222d4370. Change the config, not this file.

import { defineRoute, headerEdits, utf8, wrappedLines } from "gwc/runtime";

const requestHeadersToAdd = headerEdits(["prepend", "X-Via", "first,second"], ["prepend", "X-Tags", "fixed"]);
const headerValue = utf8("Zürich");

const requestHeadersToSet = headerEdits(
  ["set", "X-Price", "$5"],
  ["set", "X-City", headerValue],
  ["set", "X-Many", "one"],
  ["append", "X-Many", "two"],
  ["delete", "x-gone"],
);

export default defineRoute({
  id: "values",
  credentials: { copies: [["arg_q", "x-search"], ["arg_tag", "x-tags"]] },
  withheld: {
    request: ["x-city", "x-gone", "x-many", "x-price", "x-search", "x-where"],
    response: ["set-cookie", "www-authenticate", "x-a", "x-b", "x-cookies", "x-status"],
  },

  rewrite(x) {
    // routes/values plugins.proxy-rewrite
    const { headers } = x.upstream;
    headers.edit(requestHeadersToAdd);
    headers.prepend("X-Tags", x.arg("tag") ?? "");
    headers.set("X-Where", `${x.host}:${x.serverPort}`);
    headers.set("X-Search", x.arg("q") ?? "nothing");
    headers.edit(requestHeadersToSet);
  },

  headerFilter(x) {
    // routes/values plugins.response-rewrite
    const { headers } = x.response;
    const newXB = x.response.headers.get("x-a") ?? "";
    const newXCookies = wrappedLines("", x.response.headers.getAll("set-cookie"), "", "none");
    headers.set("X-A", x.response.headers.get("x-b") ?? "");
    headers.set("X-B", newXB);
    headers.set("X-Status", String(x.response.status));
    headers.set("Set-Cookie", wrappedLines("", x.response.receivedAll("set-cookie"), "; Secure"));
    headers.set("WWW-Authenticate", x.response.headers.getAll("www-authenticate"));
    headers.set("X-Cookies", newXCookies);
  },
});
//# sourceMappingURL=values.js.map
