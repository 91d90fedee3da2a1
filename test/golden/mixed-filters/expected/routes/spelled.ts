// Route "spelled": /* to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:5:5, plan 66db5665. Change the config, not this file.

import { defineRoute, filter } from "gwc/runtime";

// shop.yaml:11:13 response-rewrite.filters[0], global; holds the body: option u needs the whole body
const filter0 = /[\u{c4}\u{e4}]/gu;
// shop.yaml:12:13 response-rewrite.filters[1], global; holds the body: filters[0] holds the body
const filter1 = /colour/g;
// shop.yaml:13:13 response-rewrite.filters[2], global; holds the body: option u needs the whole body
const filter2 = /[\u{d6}\u{f6}]/gu;

const rewriteBody = filter(
  [
    { pattern: filter0, by: "ae", utf8: true },
    { pattern: filter1, by: "color", utf8: true },
    { pattern: filter2, by: "oe", utf8: true },
  ],
  { atOnce: 36231 },
);

export default defineRoute({
  id: "spelled",

  access(x) {
    // shop.yaml:9:7 response-rewrite
    x.upstream.askForWhole();
  },

  headerFilter(x) {
    // shop.yaml:9:7 response-rewrite
    x.response.filterBody(rewriteBody);
  },
});
