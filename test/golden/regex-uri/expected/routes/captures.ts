// Route "captures": /* to upstream "orders".
// Compiled by gwc 0.2.0 from routes/captures, plan 921b12e8. Change the config, not this file.

import { defineRoute, escapedPathText, escapedQueryText, replaceInPath } from "gwc/runtime";

// routes/captures plugins.proxy-rewrite.regex_uri[0]
const uriPattern = /^\/users\/(\d+)\/([^\n]*)/;
// routes/captures plugins.proxy-rewrite.regex_uri[2]
const uriPattern2 = /^\/old\//;

export default defineRoute({
  id: "captures",
  withheld: { request: ["x-user"] },

  rewrite(x) {
    // routes/captures plugins.proxy-rewrite
    let found = uriPattern.exec(x.uri);
    if (found !== null) {
      x.captures = found;
      x.upstream.target = replaceInPath(
        found,
        `/v2/${escapedPathText(found[2])}?user=${escapedQueryText(found[1])}`,
        x.args,
      );
    } else if ((found = uriPattern2.exec(x.uri)) !== null) {
      x.captures = found;
      x.upstream.target = replaceInPath(found, "/new/", x.args);
    }
    x.upstream.headers.set("X-User", found?.[1] ?? "");
  },

  pathTests(x) {
    return [uriPattern.test(x.uri), uriPattern2.test(x.uri)];
  },
});
//# sourceMappingURL=captures.js.map
