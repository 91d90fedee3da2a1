// Route "orders": /orders/* to upstream "orders".
// Compiled by gwc 0.2.0 from routes/orders, plan 48ebe1b7. Change the config, not this file.

import { consumerKeys } from "gwc/plugins/key-auth";
import { defineRoute, withoutParameter } from "gwc/runtime";

// routes/orders plugins.key-auth
const consumers = consumerKeys(
  ["mobile-app", "${{MOBILE_APP_KEY}}"],
  ["partner", "sha256:d7ecdf25eaf3deba0f2628771dbdd22d4138ab6cf38f91ed02a2ca0dec7c8ab7"],
);

const missingKey = '{"message":"Missing API key in request"}\n';
const wrongKey = '{"message":"Invalid API key in request"}\n';

export default defineRoute({
  id: "orders",
  credentials: { headers: ["x-api-key"], query: ["apikey"] },

  access(x) {
    // routes/orders plugins.key-auth
    const key = x.request.headers.get("x-api-key") ?? x.arg("apikey");
    const consumer = consumers.find(key);
    if (consumer === undefined) {
      x.respond(401, key === undefined ? missingKey : wrongKey, "application/json");
      x.response.headers.set("WWW-Authenticate", 'ApiKey realm="gateway"');
      return;
    }
    x.consumerName = consumer;
    x.upstream.headers.delete("x-api-key");
    x.upstream.target = withoutParameter(x.upstream.target, "apikey");
  },
});
//# sourceMappingURL=orders.js.map
