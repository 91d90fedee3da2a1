// Route "masked": /* to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:5:5, plan ff16ded1. Change the config, not this file.

import { decodeUtf8, defineRoute, encodeUtf8, filter } from "gwc/runtime";

// shop.yaml:11:13 response-rewrite.filters[0], global
const filter0 = /(user)=(\w+)/g;
// shop.yaml:12:13 response-rewrite.filters[1], global
const filter1 = /\u{a7}+/gu;
// shop.yaml:13:13 response-rewrite.filters[2], once
const filter2 = /[Ss][Ee][Cc][Rr][Ee][Tt]/;

const rewriteBody = filter(
  (text) =>
    encodeUtf8(decodeUtf8(text.replace(filter0, "$1=<$2>")).replace(filter1, "$&$$")).replace(filter2, "***"),
  { maxBytes: 1048576, oversize: "pass" },
);

export default defineRoute({
  id: "masked",

  headerFilter(x) {
    // shop.yaml:9:7 response-rewrite
    x.response.filterBody(rewriteBody);
  },
});
