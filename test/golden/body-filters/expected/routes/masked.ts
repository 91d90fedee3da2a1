// Route "masked": /* to upstream "orders".
// Compiled by gwc 0.2.0 from routes/masked, plan d813cc72. Change the config, not this file.

import { defineRoute, filter } from "gwc/runtime";

// routes/masked plugins.response-rewrite.filters[0], global; holds the body: \w+ matches text of any length
const bodyPattern = /(user)=(\w+)/g;
// routes/masked plugins.response-rewrite.filters[1], global; holds the body: option u needs the whole body
const bodyPattern2 = /\u{a7}+/gu;
// routes/masked plugins.response-rewrite.filters[2], once; holds the body: filters[0] holds the body
const bodyPattern3 = /[Ss][Ee][Cc][Rr][Ee][Tt]/;

const rewriteBody = filter(
  [
    { pattern: bodyPattern, replacement: [1, "=<", 2, ">"] },
    { pattern: bodyPattern2, replacement: [0, "$"], utf8: true },
    { pattern: bodyPattern3, replacement: "***" },
  ],
  { maxBytes: 1048576, syncBytes: 36036, oversize: "pass" },
);

export default defineRoute({
  id: "masked",

  access(x) {
    // routes/masked plugins.response-rewrite
    x.upstream.requestFullBody();
  },

  headerFilter(x) {
    // routes/masked plugins.response-rewrite
    x.response.filterBody(rewriteBody);
  },
});
//# sourceMappingURL=masked.js.map
