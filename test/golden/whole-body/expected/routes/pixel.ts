// Route "pixel": /pixel.gif to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:13:5, plan 13ac8d06. Change the config, not this file.

import { base64, defineRoute } from "gwc/runtime";

const body = base64("R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=");

export default defineRoute({
  id: "pixel",

  access(x) {
    // shop.yaml:17:7 response-rewrite
    x.upstream.askForWhole();
  },

  headerFilter(x) {
    // shop.yaml:17:7 response-rewrite
    x.response.replaceBody(body);
  },
});
