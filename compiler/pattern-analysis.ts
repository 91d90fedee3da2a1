/** What the patterns of a write bring about, worked out beside the compiler's thread: the rest of a write takes little. */
import { DiagnosticCollector } from "./diagnostics/collector.js";
import { parseAdminBody } from "./frontend.js";
import { addAffected, nothingAffected } from "./incremental/affected.js";
import { Workspace } from "./incremental/workspace.js";
import type { Change } from "./input.js";
import type { PlanSettings } from "./plan/plan-settings.js";
import { answersOf, type CachedAnswer } from "./regex/analysis-cache.js";

/** A write whose patterns take long. */
export interface PatternAnalysisJob {
  changes: readonly Change[];
  settings: PlanSettings;
}

/** A document of `POST /configs/validate` that is large, or whose patterns take long. */
export interface HeavyDocument {
  text: string;
  format: "json" | "yaml";
}

/** Compiles what is written by itself. What it names does not exist here, so the findings say nothing; the answers do. */
export function analyzePatterns({ changes, settings }: PatternAnalysisJob): CachedAnswer[] {
  return answersOf(() => {
    const workspace = new Workspace(undefined, { settings });
    const affected = nothingAffected();
    for (const change of changes) {
      const { resource } = "put" in change ? parseAdminBody(change.put) : {};
      if (!resource) continue;
      workspace.put(resource);
      addAffected(affected, workspace.inventory, resource.kind, resource.id, true);
    }
    workspace.compile(affected, new DiagnosticCollector());
  });
}
