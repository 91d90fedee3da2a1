// Route "moved": /moved/* without an upstream.
// Compiled by gwc 0.2.0 from routes/moved, plan ff30fc0c. Change the config, not this file.

import { redirect, rootedText } from "gwc/plugins/redirect";
import { defineRoute, joinQuery } from "gwc/runtime";

export default defineRoute({
  id: "moved",

  rewrite(x) {
    // routes/moved plugins.redirect
    redirect(x, 301, joinQuery(`https://new.example.com${rootedText(x.uri)}`, x.args));
  },
});
//# sourceMappingURL=moved.js.map
