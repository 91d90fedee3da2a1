import type { Diagnostic, Note, Severity, Span } from "../model/diagnostic.js";

/** Diagnostic of a package's plugin about its settings. */
export interface PluginDiagnostic {
  /** Name of the plugin in capitals, and a number of three digits: "HELLO-001". */
  code: string;
  /** An error makes the configuration invalid. */
  severity: Severity;
  /** One line without a full stop. */
  message: string;
  span: Span;
  help?: string;
  notes?: Note[];
}

/** Creates a diagnostic of a package, for `PlanContext.report`. */
export function pluginDiagnostic({ notes = [], ...finding }: PluginDiagnostic): Diagnostic {
  return { ...finding, notes };
}

export const isPluginCode = (code: unknown, plugin: string): boolean =>
  typeof code === "string" && new RegExp(`^${plugin.toUpperCase()}-\\d{3}$`).test(code);
