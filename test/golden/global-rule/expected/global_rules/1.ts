// Global rule "1": response-rewrite.
// Compiled by gwc 0.1.0 from shop.yaml:2:5, plan 3a1c314f. Change the config, not this file.

import { defineGlobalRule } from "gwc/runtime";

export default defineGlobalRule({
  id: "1",

  headerFilter(x) {
    // shop.yaml:4:7 response-rewrite
    x.response.headers.set("Strict-Transport-Security", "max-age=31536000");
  },
});
