// Route "pixel": /pixel.gif to upstream "orders".
// Compiled by gwc 0.2.0 from routes/pixel, plan b61f1c2a. Change the config, not this file.

import { base64, defineRoute } from "gwc/runtime";

const body = base64("R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=");

export default defineRoute({
  id: "pixel",

  access(x) {
    // routes/pixel plugins.response-rewrite
    x.upstream.requestFullBody();
  },

  headerFilter(x) {
    // routes/pixel plugins.response-rewrite
    x.response.replaceBody(body);
  },
});
//# sourceMappingURL=pixel.js.map
