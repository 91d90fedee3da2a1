// Route "masked": /* to upstream "orders".
// Compiled by gwc 0.2.0 from routes/masked, plan f3ec7724. Change the config, not this file.

import { defineRoute, filter } from "gwc/runtime";

// routes/masked plugins.response-rewrite.filters[0], global; streams: a match takes at most 25 bytes
const bodyPattern = /user=(\w{1,20})/g;
// where a match of bodyPattern is open: \u0100 is a byte that has not come
const bodyPatternPartial = /[u\u0100][s\u0100][e\u0100][r\u0100][=\u0100][0-9A-Z_a-z\u0100]{1,20}/g;
// routes/masked plugins.response-rewrite.filters[1], global; streams: a match takes at most 1 byte, and a run that the replacement does not read
const bodyPattern2 = /(?<=[a-z])[\t-\r ]+/g;
// the run that ends a match of bodyPattern2
const bodyPattern2Run = /[\t-\r ]*/y;
// routes/masked plugins.response-rewrite.filters[2], once; streams: a match takes at most 6 bytes
const bodyPattern3 = /(?<![^\n])(?:(?!$)|^)[Ss][Ee][Cc][Rr][Ee][Tt](?=\n|$)/;
// where a match of bodyPattern3 is open: \u0100 is a byte that has not come
const bodyPattern3Partial = /(?:\u0100|(?<![^\n])(?:(?!$)|^))[Ss\u0100][Ee\u0100][Cc\u0100][Rr\u0100][Ee\u0100][Tt\u0100](?:\u0100|(?=\n|$))/g;

const rewriteBody = filter(
  [
    { pattern: bodyPattern, replacement: ["user=<", 1, ">"], window: 26, partial: bodyPatternPartial },
    { pattern: bodyPattern2, replacement: " ", window: 1, lookbehind: 1, trailingRun: bodyPattern2Run },
    {
      pattern: bodyPattern3,
      replacement: "***",
      window: 7,
      lookbehind: 1,
      partial: bodyPattern3Partial,
      pad: 8,
    },
  ],
  { syncBytes: 43939 },
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
