// Route "search-unsafe": /exact to upstream "orders".
// Compiled by gwc 0.2.0 from routes/search-unsafe, plan 6002de9b. Change the config, not this file.

import { defineRoute, joinQuery, rawText } from "gwc/runtime";

export default defineRoute({
  id: "search-unsafe",

  rewrite(x) {
    // routes/search-unsafe plugins.proxy-rewrite
    x.upstream.verbatim = true;
    x.upstream.target = joinQuery(`/exact/${rawText(x.arg("path"))}`, x.args);
  },
});
//# sourceMappingURL=search-unsafe.js.map
