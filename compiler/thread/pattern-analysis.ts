/** Runs outside of the compiler's thread, so that the rest of a write is fast. */

import { typescript } from "../5-emit/typescript.js";
import { addAffected, nothingAffected } from "../compilation/affected.js";
import { parseAdminBody } from "../compilation/frontend.js";
import { Workspace } from "../compilation/workspace.js";
import { DiagnosticCollector } from "../diagnostics/collector.js";
import type { Change } from "../model/input.js";
import type { PlanSettings } from "../model/plan-settings.js";
import { answersOf, type CachedAnswer } from "../regex/analysis-cache.js";

export interface PatternAnalysisJob {
  changes: readonly Change[];
  settings: PlanSettings;
}

/** Large document of `POST /configs/validate`, or one whose patterns take long. */
export interface HeavyDocument {
  text: string;
  format: "json" | "yaml";
}

/**
 * Compiles the resources alone: without references the diagnostics are meaningless; only the cached answers
 * count.
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
