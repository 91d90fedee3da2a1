import { defineLogger, reportDatagramPromises } from "../../compiler/logger-api.js";
import { DEFAULTS } from "./runtime/defaults.gen.js";
import type { UdpLogger } from "./schema.gen.js";

const SECOND = 1000;
/** Settings of a stream that datagrams do not have; the sink reads none of them. */
const STREAM = {
  tls: false,
  framing: "newline",
  flushLimit: 4_194_304,
  dropLimit: 1_073_741_824,
  poolSize: 5,
};

export const udpLogger = {
  moduleUrl: import.meta.url,
  priority: 400,
  ...defineLogger<UdpLogger>({
    name: "udp-logger",
    defaults: DEFAULTS,
    plan(settings, context) {
      const { host, port, timeout, max_datagram: maxDatagram } = settings.value;
      reportDatagramPromises(settings, context, (promised) => ({
        help: promised ? "use tcp-logger, or leave ack out" : "use tcp-logger",
      }));
      const destination = {
        ...STREAM,
        host: host.replace(/^\[(.*)\]$/, "$1"),
        port,
        sockType: "udp",
        timeoutMs: timeout * SECOND,
        maxDatagram,
      };
      return { destination };
    },
    sources: () => ({ destination: { timeoutMs: ["timeout"] } }),
    label: ({ host }) => `udp log to ${host}`,
    describe: ({ host, port }) => `${host}:${port} over udp`,
  }),
};
