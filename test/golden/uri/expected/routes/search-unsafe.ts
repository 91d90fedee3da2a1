// Route "search-unsafe": /exact to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:10:5, plan ac5e579c. Change the config, not this file.

import { defineRoute, joinQuery, rawText } from "gwc/runtime";

export default defineRoute({
  id: "search-unsafe",

  rewrite(x) {
    // shop.yaml:14:7 proxy-rewrite
    x.upstream.verbatim = true;
    x.upstream.target = joinQuery(`/exact/${rawText(x.arg("path"))}`, x.args);
  },
});
