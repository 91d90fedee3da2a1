// Route "shop": /* to upstream "shop".
// Compiled by gwc 0.2.0 from routes/shop, plan 356a3671. Change the config, not this file.

import { brokerLogger } from "gwc/plugins/broker-logger";
import { defineRoute } from "gwc/runtime";

// routes/shop plugins.broker-logger
const requestsTopic = brokerLogger({
  destination: {
    brokers: [{ host: "kafka-1", port: 9092 }],
    topic: "requests",
    requiredAcks: -1,
    sasl: { mechanism: "SCRAM-SHA-512", user: "gateway", password: "${{KAFKA_PASSWORD}}" },
  },
  extra: (x, shown) => ({ user: shown.field("x-user", x.request.headers.get("x-user")) }),
  keyOf: (x) => x.remoteAddr,
});

export default defineRoute({
  id: "shop",
  resources: [requestsTopic.resource],

  log(x) {
    // routes/shop plugins.broker-logger
    requestsTopic.log(x);
  },
});
//# sourceMappingURL=shop.js.map
