/** Runs one pattern analysis or document, posts its result and ends; for `pattern-analysis-queue.ts`. */

import { parentPort, workerData } from "node:worker_threads";
import type { NamedPackage } from "../model/package.js";
import { loadPackages } from "../packages/load.js";
import { loadPlugins } from "../plugin/registry.js";
import { analyzePatterns, type HeavyDocument, type PatternAnalysisJob } from "./pattern-analysis.js";
import { validateDocument } from "./validate-document.js";

export interface AnalysisData {
  work: PatternAnalysisJob | HeavyDocument;
  plugins: readonly string[];
  packages: readonly NamedPackage[];
}

const { work, plugins, packages } = workerData as AnalysisData;
await loadPlugins(plugins);
await loadPackages(packages, { tried: true });
parentPort?.postMessage("text" in work ? validateDocument(work.text, work.format) : analyzePatterns(work));
