import type { Logger } from "../../../runtime/abi/log.js";
import { flattenRope } from "../../../runtime/log/flatten-rope.js";
import { makeLogger } from "../../../runtime/log/logger.js";
import type { SyslogSettings } from "../../../runtime/log/logger-settings.js";
import type { PluginRuntime } from "../../../runtime/plugin-runtime.js";
import { messageMaker } from "./message.js";
import { openSyslogSink } from "./sink.js";

/** Ships records as syslog messages; what a generated module of a route with this plugin makes. */
export function syslog(settings: SyslogSettings): Logger {
  const message = messageMaker(process.pid);
  const destination = { ...settings.destination, confirm: settings.delivery === "durable" };
  return makeLogger(
    "syslog",
    { ...settings, destination },
    {
      entry: (x, record) => ({ payload: flattenRope(message(x.host, record)) }),
      openSink: openSyslogSink,
    },
  );
}

export const runtime: PluginRuntime = { calls: { syslog }, openSink: openSyslogSink };
