import { expect, it } from "vitest";
import { brokerLogger } from "../../../plugins/broker-logger/runtime/index.js";
import { fileLogger } from "../../../plugins/file-logger/runtime/index.js";
import { httpLogger } from "../../../plugins/http-logger/runtime/index.js";
import { syslog } from "../../../plugins/syslog/runtime/index.js";
import { tcpLogger } from "../../../plugins/tcp-logger/runtime/index.js";
import { udpLogger } from "../../../plugins/udp-logger/runtime/index.js";
import type { Logger } from "../../../runtime/logging/index.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { FILE, HTTP, loggers, SYSLOG, sasl } from "./configurations.js";

const FACTORIES: Readonly<Record<string, (settings: never) => Logger>> = {
  "broker-logger": brokerLogger,
  "file-logger": fileLogger,
  "http-logger": httpLogger,
  syslog,
  "tcp-logger": tcpLogger,
  "udp-logger": udpLogger,
};

/** Id of the spool of a logger in a gateway whose installation has a key. */
function spoolId(plugin: string, settings: object): string | undefined {
  const [plan] = loggers([{ [plugin]: settings }], "k");
  return FACTORIES[plugin]?.(plan?.settings as never).resource.delivers?.id;
}

// With another id, an update of gwc would leave the records of the old spool without a logger.
it.each([
  ["syslog", "a plain destination", SYSLOG, "f3236e1072d518ca"],
  ["syslog", "a client certificate", { ...SYSLOG, tls: true, ...TEST_CERTIFICATE }, "3f18f370d7045ff2"],
  ["tcp-logger", "a plain destination", SYSLOG, "3ac4e8d433a83579"],
  ["tcp-logger", "a client certificate", { ...SYSLOG, tls: true, ...TEST_CERTIFICATE }, "489588a718c9953f"],
  ["udp-logger", "a plain destination", SYSLOG, "4c55a24a3d197e8d"],
  ["file-logger", "a file", FILE, "eb69755651cd120e"],
  ["broker-logger", "a password", sasl("one"), "654681c766334817"],
  [
    "http-logger",
    "a token",
    { ...HTTP, auth_header: "a", headers: { "X-Api-Key": "b" } },
    "69e8e313a967caee",
  ],
])("the spool of %s with %s has the same id in each version of gwc", (plugin, _, settings, id) => {
  expect(spoolId(plugin, settings)?.slice(0, 16)).toBe(id);
});
