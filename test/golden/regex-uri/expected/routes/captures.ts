// Route "captures": /* to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:5:5, plan 22b75f7a. Change the config, not this file.

import { defineRoute, escapedPathText, escapedQueryText, replaceInPath } from "gwc/runtime";

// shop.yaml:10:21 proxy-rewrite.regex_uri[0]
const uriPattern0 = /^\/users\/(\d+)\/([^\n]*)/;
// shop.yaml:10:64 proxy-rewrite.regex_uri[2]
const uriPattern1 = /^\/old\//;

export default defineRoute({
  id: "captures",

  rewrite(x) {
    // shop.yaml:9:7 proxy-rewrite
    let found = uriPattern0.exec(x.uri);
    if (found !== null) {
      x.captures = found;
      x.upstream.target = replaceInPath(
        found,
        `/v2/${escapedPathText(found[2])}?user=${escapedQueryText(found[1])}`,
        x.args,
      );
    } else if ((found = uriPattern1.exec(x.uri)) !== null) {
      x.captures = found;
      x.upstream.target = replaceInPath(found, "/new/", x.args);
    }
    x.upstream.headers.set("X-User", found?.[1] ?? "");
  },
});
