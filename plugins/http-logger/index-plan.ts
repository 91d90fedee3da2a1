import { planLogText } from "../../compiler/logger-api.js";
import {
  diagnostic,
  type JsonObject,
  type PlanContext,
  type PluginSettings,
  type Text,
} from "../../compiler/plugin-api.js";
import type { HttpLogger } from "./schema.gen.js";

const OTHER = "other";

/** `FormatSettings.elasticsearch` of the runtime, and the template of the variables in the index name. */
export interface PlannedIndex {
  elasticsearch: JsonObject;
  /** Undefined if the name has no variable. */
  entryKey: Text | undefined;
}

export function planIndex(
  { value, written, spans }: PluginSettings<HttpLogger>,
  context: PlanContext,
): PlannedIndex {
  const { index, max_indexes: maxIndexes } = value.elasticsearch;
  const text = planLogText(index, "the name of an index", spans.value(["elasticsearch", "index"]), context);
  const varies = text.some((part) => !("literal" in part));
  if (varies) {
    const other = text.map((part) => ("literal" in part ? part.literal : OTHER)).join("");
    return { elasticsearch: { index, other, maxIndexes }, entryKey: text };
  }
  if (written.elasticsearch && Object.hasOwn(written.elasticsearch, "max_indexes")) {
    const span = spans.key(["elasticsearch", "max_indexes"]);
    const because = "index has no variable";
    context.report(diagnostic("GW4405", span, { field: "elasticsearch.max_indexes", because }));
  }
  return { elasticsearch: { index }, entryKey: undefined };
}
