import { loggerSettings, makeLogger } from "gwc/logger/runtime";
import { DEFAULTS } from "./defaults.js";
import { GelfSink } from "./sink.js";

const openSink = (destination, context) => new GelfSink(destination.settings, context);

/** Logger of a route: the generated module calls it with the settings that differ from the defaults. */
export function gelfLogger(given) {
  const settings = loggerSettings("gelf-logger", given, DEFAULTS);
  // An entry is the record itself, so that tests of a configuration compare it: the sink makes GELF of it.
  return makeLogger("gelf-logger", settings);
}

export const runtime = { exports: { gelfLogger }, openSink };
