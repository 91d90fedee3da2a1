// Route "login": /account/* to upstream "shop".
// Compiled by gwc 0.2.0 from routes/login, plan e9dd1ad9. Change the config, not this file.

import { redirect } from "gwc/plugins/redirect";
import { defineRoute, queryText } from "gwc/runtime";

export default defineRoute({
  id: "login",

  rewrite(x) {
    // routes/login plugins.redirect._meta.filter[0]
    if (x.cookie("session") !== undefined) return;

    redirect(x, 302, `/login?next=${queryText(x.requestUri)}#form`);
  },
});
//# sourceMappingURL=login.js.map
