// Global rule "1": response-rewrite.
// Compiled by gwc 0.2.0 from global_rules/1, plan 1fb11d07. Change the config, not this file.

import { defineGlobalRule } from "gwc/runtime";

export default defineGlobalRule({
  id: "1",
  withheld: { response: ["strict-transport-security"] },

  headerFilter(x) {
    // global_rules/1 plugins.response-rewrite
    x.response.headers.set("Strict-Transport-Security", "max-age=31536000");
  },
});
//# sourceMappingURL=1.js.map
