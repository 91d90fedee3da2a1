// Route "spelled": /* to upstream "orders".
// Compiled by gwc 0.2.0 from routes/spelled, plan 59b76044. Change the config, not this file.

import { defineRoute, filter } from "gwc/runtime";

// routes/spelled plugins.response-rewrite.filters[0], global; holds the body: option u needs the whole body
const bodyPattern = /[\u{c4}\u{e4}]/gu;
// routes/spelled plugins.response-rewrite.filters[1], global; holds the body: filters[0] holds the body
const bodyPattern2 = /colour/g;
// routes/spelled plugins.response-rewrite.filters[2], global; holds the body: option u needs the whole body
const bodyPattern3 = /[\u{d6}\u{f6}]/gu;

const rewriteBody = filter(
  [
    { pattern: bodyPattern, replacement: "ae", utf8: true },
    { pattern: bodyPattern2, replacement: "color", utf8: true },
    { pattern: bodyPattern3, replacement: "oe", utf8: true },
  ],
  { syncBytes: 38684 },
);

export default defineRoute({
  id: "spelled",

  access(x) {
    // routes/spelled plugins.response-rewrite
    x.upstream.requestFullBody();
  },

  headerFilter(x) {
    // routes/spelled plugins.response-rewrite
    x.response.filterBody(rewriteBody);
  },
});
//# sourceMappingURL=spelled.js.map
