// Route "matched": /* to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:5:5, plan b1b242f8. Change the config, not this file.

import { addresses, defineRoute, matches, oneOf, toNumber } from "gwc/runtime";

// shop.yaml:9:9
const values0 = oneOf(1, 2, 3);
// shop.yaml:10:9
const pattern0 = /[Cc][Uu][Rr][Ll]|[Ww][Gg][Ee][Tt]/;
// shop.yaml:11:14
const addresses0 = addresses("10.0.0.0/8", "::1");

export default defineRoute({
  id: "matched",

  match(x) {
    // shop.yaml:9:9 vars
    return (
      values0.has(toNumber(x.arg("version"))) &&
      !matches(pattern0, x.request.headers.get("user-agent")) &&
      (addresses0.has(x.remoteAddr) || (x.cookie("beta") === "1" && toNumber(x.arg("age")) > 17))
    );
  },
});
