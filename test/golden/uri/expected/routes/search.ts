// Route "search": /find to upstream "orders".
// Compiled by gwc 0.2.0 from routes/search, plan 2c947c51. Change the config, not this file.

import { defineRoute, joinQuery, pathText, queryText } from "gwc/runtime";

export default defineRoute({
  id: "search",

  rewrite(x) {
    // routes/search plugins.proxy-rewrite
    x.upstream.target = joinQuery(
      `/search/${pathText(x.arg("kind"))}.html?term=${queryText(x.arg("q"))}&from=${queryText(x.remoteAddr)}`,
      x.args,
    );
    x.upstream.method = "GET";
  },
});
//# sourceMappingURL=search.js.map
