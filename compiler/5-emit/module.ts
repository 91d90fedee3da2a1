import { readNote } from "../model/config-path.js";
import { fileName, type MetadataPlan, type PlannedPipeline } from "../model/plan.js";
import { Code, code, firstUses, from, fromAll, joinCode, renderCode } from "../plugin/code.js";
import { credentialsCode, withheldCode } from "./credentials-code.js";
import { onLines, WIDTH } from "./layout.js";
import { withName } from "./object.js";
import { defineResources, phaseMethods } from "./phase.js";
import { pluginPrinter } from "./printer.js";
import { printNote } from "./printers.js";
import { type Constant, ModuleScope } from "./scope.js";
import { template } from "./templates.js";

/** Data of the comment at the start of a module. */
export interface ModuleMeta {
  /** Version of gwc. */
  version: string;
  /** Hash of the module's inputs (`canonicalHash` of its plan); its first eight digits are printed. */
  planHash: string;
  /** Config path of the resource: "routes/shop". */
  source: string;
}

export interface EmittedModule {
  /** Path relative to the output folder, without extension: "routes/shop-orders". */
  file: string;
  /** TypeScript of an ES module; the runtime loads its other form (`loadableOf`). */
  typescript: string;
  /** Config paths of its code; see `readStatementPaths`. */
  paths: string;
}

const KINDS = {
  route: { define: "defineRoute", folder: "routes", title: "Route" },
  global_rule: { define: "defineGlobalRule", folder: "global_rules", title: "Global rule" },
} as const;

/** Path of a pipeline's module relative to the output folder, without extension. */
export function moduleFile({ kind, id }: Pick<PlannedPipeline, "kind" | "id">): string {
  return `${KINDS[kind].folder}/${fileName(id)}`;
}

/** Prints a pipeline as code. Never fails: every plan has a module. */
export function emitModule(pipeline: PlannedPipeline, meta: ModuleMeta): EmittedModule {
  const { define, title } = KINDS[pipeline.kind];
  const scope = defineResources(pipeline);
  const definer = scope.imported(define);
  const methods = phaseMethods(pipeline, scope);
  const names = new Set(methods.each("name"));
  const used = [...scope.resources.values()].filter(({ text }) => names.has(text));
  scope.withoutUnused(code`${definer}${methods}`);
  const parts = {
    id: pipeline.id,
    title: `${title} ${JSON.stringify(pipeline.id)}: ${pipeline.title}.`,
    define,
    methods,
    resources: used.length === 0 ? null : used.map((constant) => code`${constant}.resource`),
    credentials: credentialsCode(pipeline),
    withheld: withheldCode(pipeline),
  };
  return render(moduleFile(pipeline), parts, scope, meta);
}

/** Prints the metadata of a plugin as code. Never fails, like `emitModule`. */
export function emitMetadata(plan: MetadataPlan, meta: ModuleMeta): EmittedModule {
  const scope = new ModuleScope();
  const printer = pluginPrinter(scope, WIDTH, plan.plugin, plan.origin);
  const maker = () => scope.imported("recordText");
  const fields: [string, Code][] = [];
  if (plan.record !== null) {
    const record = printer.record(plan.record, maker(), ["log_format"]);
    fields.push(["record", printer.from(["log_format"], record)]);
  }
  if (plan.extra !== null) fields.push(["extra", printer.record(plan.extra, null, ["log_format_extra"])]);
  if (Object.keys(plan.settings).length > 0) fields.push(["settings", printer.data(plan.settings)]);
  const lines = fields.map(([name, value]) => code`${withName(new Code(name), value)},`);
  const methods = joinCode(lines, "\n");
  const title = `Metadata of ${plan.plugin}.`;
  const parts = {
    id: plan.plugin,
    title,
    define: "definePluginMetadata",
    methods,
    resources: null,
    credentials: null,
    withheld: null,
  };
  return render(`plugin_metadata/${fileName(plan.plugin)}`, parts, scope, meta);
}

interface ModuleParts {
  id: string;
  title: string;
  define: string;
  methods: Code;
  resources: Code[] | null;
  credentials: Code | null;
  withheld: Code | null;
}

function render(file: string, fields: ModuleParts, scope: ModuleScope, meta: ModuleMeta): EmittedModule {
  const define = scope.imported(fields.define);
  let found: ReturnType<typeof firstUses> | undefined;
  const uses = () => (found ??= firstUses([...scope.constants.map(({ value }) => value), fields.methods]));
  const constants = scope.constants.map((constant, i) => ({
    declaration: declarationOf(constant, uses),
    gap: !constant.value.isOneLine || !(scope.constants[i + 1]?.value.isOneLine ?? false),
  }));
  const view = {
    title: fields.title,
    version: meta.version,
    source: meta.source,
    // One map for both forms, which have the same lines.
    map: `${file.slice(file.lastIndexOf("/") + 1).replaceAll("%", "%25")}.js.map`,
    plan: meta.planHash.slice(0, 8),
    imports: importLists(scope.imports),
    constants,
    define,
    id: fields.id,
    resources: fields.resources,
    credentials: fields.credentials,
    withheld: fields.withheld,
    phases: fields.methods.length === 0 ? null : fields.methods,
  };
  const { text, paths } = renderCode(from(meta.source, template("module")(view)));
  return { file, typescript: text, paths };
}

/** Prints a constant. One that names no origin comes from the code that uses it first. */
function declarationOf({ comment, name, value }: Constant, uses: () => ReturnType<typeof firstUses>): Code {
  const note = new Code(comment === null ? "" : `// ${printNote(comment)}\n`);
  const declaration = code`${note}const ${new Code(name)} = ${value};`;
  const noted = comment === null ? undefined : readNote(comment);
  if (noted !== undefined) return from(noted, declaration);
  return value.path === undefined ? fromAll(uses().get(name) ?? [], declaration) : declaration;
}

/** Imports, one line for each module: first the plugins', then the runtime's. */
function importLists(imports: ReadonlyMap<string, string>): { names: Code; module: string }[] {
  const modules = [...new Set(imports.values())].sort();
  return modules.map((module) => {
    const names = [...imports].filter(([, from]) => from === module).map(([name]) => name);
    return { names: importList(names.sort(), module), module };
  });
}

/**
 * Breaks an import if its longer form, `const { … } = require("gwc/runtime");`, is too long, so that both
 * forms have the same lines.
 */
function importList(names: readonly string[], module: string): Code {
  const line = `{ ${names.join(", ")} }`;
  if (line.length + `const  = require("${module}");`.length <= WIDTH) return new Code(line);
  return code`{${onLines(names.map((name) => new Code(name)))}}`;
}
