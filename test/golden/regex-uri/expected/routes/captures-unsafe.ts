// Route "captures-unsafe": /raw/* to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:12:5, plan 0b6f8a38. Change the config, not this file.

import { defineRoute, rawText, replaceInTarget } from "gwc/runtime";

// shop.yaml:17:21 proxy-rewrite.regex_uri[0]
const uriPattern0 = /^\/raw\/([^?]*)/;

export default defineRoute({
  id: "captures-unsafe",

  rewrite(x) {
    // shop.yaml:16:7 proxy-rewrite
    x.upstream.verbatim = true;
    x.upstream.target = x.requestUri;
    const found = uriPattern0.exec(x.requestUri);
    if (found !== null) {
      x.captures = found;
      x.upstream.target = replaceInTarget(found, `/files/${rawText(found[1])}`);
    }
  },
});
