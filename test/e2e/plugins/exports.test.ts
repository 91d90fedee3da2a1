import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Project, ts } from "ts-morph";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../support/cli.js";

// Names that programs and packages import from gwc: removing one breaks them.
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const words = (text: string) => text.trim().split(/\s+/);

const EXPORTED: Record<string, { values: string[]; types: string[] }> = {
  "gwc/plugin": {
    values: words(
      `ABI MAX_SYNC_BYTES PathFault bodySubject bodyWords byteString canonicalJson conditionWords
       configPath coversOf definePlugin delayText diagnostic environmentReferences flowText headerWords
       inEscapes isCoded isKnown nearest normalizedTemplatePath parseText pathSubject planBodyFilters
       planCondition planHeaderActions planRegex planReplacement pluginDiagnostic quoted readHeaders
       replacementFault reportAbsentField reportAtReference reportSharedKeys splitTarget targetWords
       textWords trimBlanks`,
    ),
    types: words(
      `BodyFilterRule Catalogue CatalogueEntry Code Condition ConfigPath ConsumerKey Cover Decision
       Diagnostic Exchange Field FilterRule Flow Guard HeaderAction HeaderInput HeaderInputs HeaderInputValue
       Headers JoinedPart Json JsonObject Metrics Note OpenResource Oracle OracleState PackagedPlugin
       Path PlanContext PlannedStep PluginDefinition PluginDiagnostic PluginPrinter PluginRuntime
       PluginSettings PluginVariable ReadonlyHeaders Regex ResolvedPlugin ResourceContext
       RouteGuarantees SecretReference SharedResource Source Sources Span Spanned Spans StepPhase
       TargetTemplate Text TextFormats TextPart TypedStep`,
    ),
  },
  "gwc/logger": {
    values: words("defineLogger planExtra planLogText reportDatagramPromises"),
    types: words(
      "LoggerCall LoggerDefinition LoggerMembers LoggerParts LoggerPlan LoggerSettings PlannedSecrets RecordField UnusedSetting",
    ),
  },
  "gwc/logger/runtime": {
    values: words(
      `SendError connectTurn loggerSettings makeLogger openClientKey openStreamSink
       unopenedSink zstdCompress`,
    ),
    types: words(`BatchSettings BrokerAddress BrokerDestination Destination LogEntry Logger LoggerSettings
       OpenSink Sink MakeEntry Sparse SparseLoggerSettings SpoolSettings StreamDestination StreamTerms`),
  },
  "gwc/runtime": {
    values: words(
      `addresses base64 decodeUtf8 defineGlobalRule definePluginMetadata defineRecord defineRoute encodeUtf8 escapedPathText
       escapedQueryText fieldText filter headerEdits joinQuery linear matches oneOf pathText queryText rawText re2 recordText
       replaceInPath replaceInTarget toNumber utf8 withoutParameter wrappedLines`,
    ),
    types: words("BodyFilter Exchange Headers PipelineModule ReadonlyHeaders"),
  },
  "gwc/compiler": {
    values: words("compile loadPackages namedPackages"),
    types: words("CompileInput CompileResult StoredResource"),
  },
};

const site = temporaryDirectory();
const file = join(site.path, "use.ts");
beforeAll(() => {
  mkdirSync(join(site.path, "node_modules/@types"), { recursive: true });
  symlinkSync(ROOT, join(site.path, "node_modules/gwc"));
  symlinkSync(join(ROOT, "node_modules/@types/node"), join(site.path, "node_modules/@types/node"));
  writeFileSync(join(site.path, "package.json"), '{"type":"module"}');
  const lines = Object.entries(EXPORTED).map(([module, { values, types }], i) => {
    const names = [...values, ...types.map((name) => `type ${name}`)];
    return `export { ${names.map((name) => `${name} as _${i}_${name.replace("type ", "")}`).join(", ")} } from "${module}";`;
  });
  writeFileSync(file, lines.join("\n"));
});
afterAll(() => site.remove());

const RESOLUTIONS: [string, ts.CompilerOptions][] = [
  ["nodenext", { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext }],
  ["bundler", { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }],
];

function programOf(resolution: ts.CompilerOptions): ts.Program {
  const compilerOptions = {
    ...resolution,
    ...{ target: ts.ScriptTarget.ES2022, strict: true, exactOptionalPropertyTypes: true, noEmit: true },
    ...{ types: ["node"], typeRoots: [join(site.path, "node_modules/@types")] },
  };
  const project = new Project({ compilerOptions });
  project.addSourceFileAtPath(file);
  return project.getProgram().compilerObject;
}

it.each(RESOLUTIONS)(
  "the exported modules declare every name without an error by resolution %s",
  (_, resolution) => {
    const found = ts.getPreEmitDiagnostics(programOf(resolution));
    expect(found.map(({ messageText, file: at }) => [at?.fileName, messageText])).toEqual([]);
  },
);

it("the exported modules have these values and types, and no others", async () => {
  const program = programOf(RESOLUTIONS[0]?.[1] ?? {});
  const checker = program.getTypeChecker();
  const root = program.getSourceFile(file);
  const statements: readonly ts.Statement[] = root?.statements ?? [];
  const modules = statements
    .filter(ts.isExportDeclaration)
    .flatMap(({ moduleSpecifier }) => moduleSpecifier ?? []);
  expect(modules).toHaveLength(Object.keys(EXPORTED).length);
  const { resolve } = createRequire(file);
  for (const [i, [name, { values, types }]] of Object.entries(EXPORTED).entries()) {
    const symbol = checker.getSymbolAtLocation(modules[i] as ts.Expression);
    if (symbol === undefined) throw new Error(`module ${i} is not found`);
    const declared = checker.getExportsOfModule(symbol).map((each) => each.name);
    const module: object = await import(pathToFileURL(resolve(name)).href);
    expect(Object.keys(module).sort()).toEqual(values);
    expect(declared.sort()).toEqual([...values, ...types].sort());
  }
});
