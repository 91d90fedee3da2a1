import type { PluginMetadataRow } from "../../runtime/abi/generation.js";
import { configPath } from "../model/config-path.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { type JsonObject, type MetadataPlan, metadataModuleId } from "../model/plan.js";
import type { Spanned } from "../model/source.js";
import { type Format, planExtra, planFormat } from "./format.js";

const NOT_SETTINGS: ReadonlySet<string> = new Set([
  "id",
  "log_format",
  "log_format_extra",
  "create_time",
  "update_time",
]);

/** @param metadata satisfies its schema */
export function planMetadata(
  plugin: string,
  metadata: Spanned<Record<string, unknown>>,
  reported: (finding: Diagnostic) => void,
): MetadataPlan {
  const report = (finding: Diagnostic) =>
    reported(
      finding.severity === "error"
        ? { ...finding, errorMessage: `invalid configuration: ${finding.message}` }
        : finding,
    );
  const { value, spans } = metadata;
  const format = value["log_format"] as Format | undefined;
  const extra = value["log_format_extra"] as Format | undefined;
  const context = { report, bodies: undefined };
  const at = (field: string, written: Format) => ({ value: written, spans: spans.below([field]) });
  // An empty format counts as none (reference 10.2): "metadata log_format (non-empty)".
  const isGiven = format !== undefined && Object.keys(format).length > 0;
  const settings = Object.entries(value).filter(([name]) => !NOT_SETTINGS.has(name));
  return {
    plugin,
    origin: configPath({ kind: "plugin_metadata", id: plugin }),
    record: isGiven ? planFormat(at("log_format", format), context) : null,
    extra: extra === undefined ? null : planExtra(at("log_format_extra", extra), context),
    settings: Object.fromEntries(settings) as JsonObject,
  };
}

/** Row by which the runtime finds the module. */
export function metadataRow(plan: Pick<MetadataPlan, "plugin">): PluginMetadataRow {
  return { plugin: plan.plugin, moduleId: metadataModuleId(plan) };
}
