// Global rule "secure": redirect.
// Compiled by gwc 0.2.0 from global_rules/secure, plan f070a626. Change the config, not this file.

import { toHttps } from "gwc/plugins/redirect";
import { defineGlobalRule } from "gwc/runtime";

export default defineGlobalRule({
  id: "secure",

  rewrite(x) {
    // global_rules/secure plugins.redirect
    if (toHttps(x, 9443)) return;
  },
});
//# sourceMappingURL=secure.js.map
