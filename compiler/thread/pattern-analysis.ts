/** Analysis of a write's patterns outside of the compiler's thread, so that the rest of the write is fast. */

import { typescript } from "../5-emit/typescript.js";
import { addAffected, nothingAffected } from "../compilation/affected.js";
import { parseAdminBody } from "../compilation/frontend.js";
import { Workspace } from "../compilation/workspace.js";
import { DiagnosticCollector } from "../diagnostics/collector.js";
import type { Change } from "../model/input.js";
import type { PlanSettings } from "../model/plan-settings.js";
import { answersOf, type CachedAnswer } from "../regex/analysis-cache.js";

/** Write whose patterns take long. */
export interface PatternAnalysisJob {
  changes: readonly Change[];
  settings: PlanSettings;
}

/** Document of `POST /configs/validate` that is large or whose patterns take long. */
export interface HeavyDocument {
  text: string;
  format: "json" | "yaml";
}

/**
 * Compiles the written resources alone. Their references do not exist here, so the diagnostics are
 * meaningless; only the cached answers count.
 */
export function analyzePatterns({ changes, settings }: PatternAnalysisJob): CachedAnswer[] {
  return answersOf(() => {
    const workspace = new Workspace({ settings, target: typescript });
    const affected = nothingAffected();
    for (const change of changes) {
      const { resource } = "put" in change ? parseAdminBody(change.put) : {};
      if (!resource) continue;
      workspace.resolver.put(resource);
      addAffected(affected, workspace.inventory, resource.kind, resource.id, true);
    }
    workspace.compile(affected, new DiagnosticCollector());
  });
}
