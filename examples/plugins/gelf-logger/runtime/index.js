import { loggerSettings, makeLogger } from "gwc/logger/runtime";
import { DEFAULTS } from "./defaults.js";
import { gelfMessage } from "./message.js";
import { GelfSink } from "./sink.js";

const openSink = (destination, context) => new GelfSink(destination.settings, context);

/** Logger of a route: the generated module calls it with the settings that differ from the defaults. */
export function gelfLogger(given) {
  const settings = loggerSettings("gelf-logger", given, DEFAULTS);
  const { source } = settings.destination;
  return makeLogger("gelf-logger", settings, (_, record) => ({ payload: gelfMessage(record, source) }));
}

export const runtime = { exports: { gelfLogger }, openSink };
