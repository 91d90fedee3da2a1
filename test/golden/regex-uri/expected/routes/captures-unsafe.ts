// Route "captures-unsafe": /raw/* to upstream "orders".
// Compiled by gwc 0.2.0 from routes/captures-unsafe, plan 6d7f600d. Change the config, not this file.

import { defineRoute, rawText, replaceInTarget } from "gwc/runtime";

// routes/captures-unsafe plugins.proxy-rewrite.regex_uri[0]
const uriPattern = /^\/raw\/([^?]*)/;

export default defineRoute({
  id: "captures-unsafe",

  rewrite(x) {
    // routes/captures-unsafe plugins.proxy-rewrite
    x.upstream.verbatim = true;
    x.upstream.target = x.requestUri;
    const found = uriPattern.exec(x.requestUri);
    if (found !== null) {
      x.captures = found;
      x.upstream.target = replaceInTarget(found, `/files/${rawText(found[1])}`);
    }
  },
});
//# sourceMappingURL=captures-unsafe.js.map
