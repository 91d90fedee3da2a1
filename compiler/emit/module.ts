import type { PlannedPipeline } from "../plan/plan.js";
import { Code } from "../plugins/plugin.js";
import { WIDTH } from "./layout.js";
import { phaseMethods } from "./phase.js";
import { ModuleScope } from "./scope.js";
import { template } from "./templates.js";

/** What the head of a module names. */
export interface ModuleMeta {
  /** Product version. */
  version: string;
  /** Hash of what the module is made from (`pipelineHash`); its first eight digits are printed. */
  planHash: string;
  /** Address of the resource: "shop.yaml:10:5". */
  source: string;
}

/** One generated module in its two forms, which differ only in the import and export lines. */
export interface EmittedModule {
  /** Path below the output folder, without extension: "routes/shop-orders". */
  file: string;
  /** An ES module for people, reviews and the type check. */
  typescript: string;
  /** What the runtime loads: `require` and `module.exports`. */
  loadable: string;
}

const KINDS = {
  route: { define: "defineRoute", folder: "routes", title: "Route" },
  global_rule: { define: "defineGlobalRule", folder: "global_rules", title: "Global rule" },
} as const;

/** Prints a pipeline as code. Total: every plan has a module. */
export function emitModule(pipeline: PlannedPipeline, meta: ModuleMeta): EmittedModule {
  const { define, folder, title } = KINDS[pipeline.kind];
  const scope = new ModuleScope();
  const defined = scope.imported(define);
  const methods = phaseMethods(pipeline, scope);
  if (scope.folded) scope.withoutUnused(`${defined.text}\n${methods}`);
  const constants = scope.constants.map(({ comment, name, value }, i) => ({
    comment,
    name,
    value: new Code(value),
    gap: value.includes("\n") || (scope.constants[i + 1]?.value.includes("\n") ?? true),
  }));
  const view = {
    title: `${title} ${JSON.stringify(pipeline.id)}: ${pipeline.title}.`,
    version: meta.version,
    source: meta.source,
    plan: meta.planHash.slice(0, 8),
    imports: new Code(importList([...scope.imports].sort())),
    constants,
    define: defined,
    id: pipeline.id,
    phases: new Code(methods),
  };
  const render = template("module");
  return {
    file: `${folder}/${fileName(pipeline.id)}`,
    typescript: render({ ...view, esm: true }),
    loadable: render({ ...view, esm: false }),
  };
}

/** The longer import line, `const { … } = require("gwc/runtime");`, decides, so that both forms have the same lines. */
function importList(names: readonly string[]): string {
  const line = `{ ${names.join(", ")} }`;
  if (line.length + 'const  = require("gwc/runtime");'.length <= WIDTH) return line;
  return `{\n${names.map((name) => `  ${name},`).join("\n")}\n}`;
}

/** Ids are letters, digits, "-", "_" and "."; "." and ".." would leave the folder. */
function fileName(id: string): string {
  return id.replace(/^\.+/, (dots) => "%2E".repeat(dots.length));
}
