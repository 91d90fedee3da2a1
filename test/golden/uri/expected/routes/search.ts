// Route "search": /find to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:5:5, plan b7c099ba. Change the config, not this file.

import { defineRoute, joinQuery, pathText, queryText } from "gwc/runtime";

export default defineRoute({
  id: "search",

  rewrite(x) {
    // shop.yaml:9:7 proxy-rewrite
    x.upstream.target = joinQuery(
      `/search/${pathText(x.arg("kind"))}.html?term=${queryText(x.arg("q"))}&from=${queryText(x.remoteAddr)}`,
      x.args,
    );
    x.upstream.method = "GET";
  },
});
