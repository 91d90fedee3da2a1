// Route "values": /values to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:5:5, plan e3783e01. Change the config, not this file.

import { defineRoute, fieldText, utf8 } from "gwc/runtime";

const text0 = utf8("Zürich");

export default defineRoute({
  id: "values",

  rewrite(x) {
    // shop.yaml:9:7 proxy-rewrite
    const { headers } = x.upstream;
    headers.prepend("X-Via", "first,second");
    headers.prepend("X-Tags", "fixed");
    headers.prepend("X-Tags", fieldText(x.arg("tag") ?? ""));
    headers.set("X-Where", `${x.host}:${x.serverPort}`);
    headers.set("X-Search", fieldText(x.arg("q") ?? "nothing"));
    headers.set("X-Price", "$5");
    headers.set("X-City", text0);
    headers.set("X-Many", "one");
    headers.append("X-Many", "two");
    headers.delete("X-Gone");
  },

  headerFilter(x) {
    // shop.yaml:19:7 response-rewrite
    const { headers } = x.response;
    const newXB = x.response.headers.get("x-a") ?? "";
    headers.set("X-A", x.response.headers.get("x-b") ?? "");
    headers.set("X-B", newXB);
    headers.set("X-Status", String(x.response.status));
  },
});
