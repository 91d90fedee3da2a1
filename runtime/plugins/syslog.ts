import type { Logger } from "../abi/log.js";
import { flat } from "../log/flat-text.js";
import { makeLogger } from "../log/logger.js";
import type { SyslogSettings } from "../log/logger-settings.js";
import { messageMaker } from "./syslog/message.js";
import { openSyslogSink } from "./syslog/sink.js";

/** Ships records as syslog messages; what a generated module of a route with this plugin makes. */
export function syslog(settings: SyslogSettings): Logger {
  const message = messageMaker(process.pid);
  const destination = { ...settings.destination, confirm: settings.delivery === "durable" };
  return makeLogger(
    "syslog",
    { ...settings, destination },
    {
      entry: (x, record) => ({ payload: flat(message(x.host, record)) }),
      openSink: openSyslogSink,
    },
  );
}
