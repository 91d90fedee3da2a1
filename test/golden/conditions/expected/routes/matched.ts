// Route "matched": /* to upstream "orders".
// Compiled by gwc 0.2.0 from routes/matched, plan 9e8cfc44. Change the config, not this file.

import { addresses, defineRoute, matches, oneOf, toNumber } from "gwc/runtime";

// routes/matched vars[0]
const argVersionValues = oneOf(1, 2, 3);
// routes/matched vars[1]
const httpUserAgentPattern = /[Cc][Uu][Rr][Ll]|[Ww][Gg][Ee][Tt]/;
// routes/matched vars[2][1]
const remoteAddrBlocks = addresses("10.0.0.0/8", "::1");

export default defineRoute({
  id: "matched",

  match(x) {
    // routes/matched vars[0]
    return (
      argVersionValues.has(toNumber(x.arg("version"))) &&
      !matches(httpUserAgentPattern, x.request.headers.get("user-agent")) &&
      (remoteAddrBlocks.has(x.remoteAddr) || (x.cookie("beta") === "1" && toNumber(x.arg("age")) > 17))
    );
  },
});
//# sourceMappingURL=matched.js.map
