import type { Diagnostic, Note, Severity, Span } from "../diagnostics/diagnostic.js";

/** What a plugin of a package says about its settings. */
export interface PluginDiagnostic {
  /** The plugin's name in capitals and a number of three digits: "HELLO-001". */
  code: string;
  /** An error refuses the configuration. */
  severity: Severity;
  /** One line without a full stop. */
  message: string;
  span: Span;
  help?: string;
  notes?: Note[];
}

/** A finding of a package's own, for `PlanContext.report`. */
export function pluginDiagnostic({ notes = [], ...finding }: PluginDiagnostic): Diagnostic {
  return { ...finding, notes };
}

/** Whether a finding's code belongs to that plugin. */
export const isPluginCode = (code: unknown, plugin: string): boolean =>
  typeof code === "string" && new RegExp(`^${plugin.toUpperCase()}-\\d{3}$`).test(code);
