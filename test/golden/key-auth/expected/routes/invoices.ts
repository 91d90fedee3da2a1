// Route "invoices": /invoices/* to upstream "orders".
// Compiled by gwc 0.2.0 from routes/invoices, plan c1b1bdeb. Change the config, not this file.

import { consumerKeys } from "gwc/plugins/key-auth";
import { defineRoute } from "gwc/runtime";

// routes/invoices plugins.key-auth
const consumers = consumerKeys(
  ["mobile-app", "${{MOBILE_APP_KEY}}"],
  ["partner", "sha256:d7ecdf25eaf3deba0f2628771dbdd22d4138ab6cf38f91ed02a2ca0dec7c8ab7"],
);

export default defineRoute({
  id: "invoices",
  credentials: { headers: ["apikey"], query: ["apikey"] },

  access(x) {
    // routes/invoices plugins.key-auth
    const key = x.request.headers.get("apikey") ?? x.arg("apikey");
    const consumer = consumers.find(key);
    if (consumer === undefined) {
      x.respond(401, '{"error":"no key, no invoices"}', "application/json");
      x.response.headers.set("WWW-Authenticate", 'ApiKey realm="gateway"');
      return;
    }
    x.consumerName = consumer;
  },
});
//# sourceMappingURL=invoices.js.map
