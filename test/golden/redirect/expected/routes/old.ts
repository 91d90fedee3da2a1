// Route "old": /old/* to upstream "shop".
// Compiled by gwc 0.2.0 from routes/old, plan 8db51896. Change the config, not this file.

import { onThisHost, redirect, replacedInPath } from "gwc/plugins/redirect";
import { defineRoute, escapedPathText, joinQuery } from "gwc/runtime";

// routes/old plugins.redirect.regex_uri[0]
const uriPattern = /^\/old\/([a-z]+)\/([^\n]*)(?=\n?$)/;

export default defineRoute({
  id: "old",

  rewrite(x) {
    // routes/old plugins.redirect
    const found = uriPattern.exec(x.uri);
    if (found !== null) {
      const target = replacedInPath(
        found,
        `/${escapedPathText(found[1])}/${escapedPathText(found[2])}`,
      );
      redirect(x, 302, onThisHost(joinQuery(target, x.args)));
    }
  },

  pathTests(x) {
    return [uriPattern.test(x.uri)];
  },
});
//# sourceMappingURL=old.js.map
