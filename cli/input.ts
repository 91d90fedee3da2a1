import "../plugins/index.js";
import { readSources } from "../compiler/1-parse/files.js";
import type { GeneratedModule } from "../compiler/5-emit/typescript.js";
import type { CompileResult } from "../compiler/compilation/compilation.js";
import { type CompileMemory, compileToPlan } from "../compiler/compilation/compile-to-plan.js";
import { type Diagnostic, hasErrors, type Span } from "../compiler/model/diagnostic.js";
import type { EmitTarget } from "../compiler/model/emit-target.js";
import type { Environment, StoredResource } from "../compiler/model/input.js";
import type { LoadedPackage, NamedPackage } from "../compiler/model/package.js";
import type { Plan } from "../compiler/model/plan.js";
import type { SourceText } from "../compiler/model/source.js";
import { namedPackages } from "../compiler/packages/named.js";
import { loadedPackages } from "../compiler/packages/outcomes.js";
import { permitted } from "../compiler/policy/policy.js";
import { policySource } from "../compiler/policy/policy-file.js";
import { type Format, render } from "../compiler/report/render.js";
import { countText } from "../compiler/report/text.js";
import { masksOf } from "../compiler/secrets/secret-spans.js";
import type { PluginBundle } from "../runtime/abi/plugin-bundle.js";
import { type ColorChoice, usesColor } from "./output.js";
import { chosenPaths } from "./paths.js";

export interface Compiled {
  sources: SourceText[];
  diagnostics: Diagnostic[];
  environment: Environment;
  /** Undefined if a file could not be read. */
  result: CompileResult | undefined;
  packages: LoadedPackage[];
  /** Runtime parts of the packages; empty unless requested. */
  bundles: PluginBundle[];
  policy?: SourceText;
}

/** Options of commands whose main output is diagnostics. */
export interface ReportedOptions {
  config?: string[];
  notes?: boolean;
  format: Format;
  policy?: string;
  quiet?: boolean;
  color?: ColorChoice;
}

/**
 * Returns the diagnostics of all steps.
 * @param options.bundle bundles each package, and reports those that cannot be bundled
 * @param options.findingsOnly emits nothing from the plan
 */
export function compilePaths(paths: readonly string[], options: CompileOptions = {}): Promise<Compiled> {
  return compileSources(readSources(paths), options);
}

interface CompileOptions {
  bundle?: boolean;
  findingsOnly?: boolean;
  /** As in `CompileInput`. */
  advice?: boolean;
  /** Emit target of the modules. Default: TypeScript. */
  target?: EmitTarget<GeneratedModule>;
  /** Creates the cache for the sources and packages that were read. */
  memory?: (sources: readonly SourceText[], packages: readonly LoadedPackage[]) => CompileMemory | undefined;
  /** Key of the hashes that identify literal secrets (`SecretKeeper`). */
  secretKey?: string;
  /** Default: the environment of the process. */
  environment?: Environment;
  stored?: readonly StoredResource[];
  policy?: string | undefined;
}

/** Does the same for sources that are already read. */
export async function compileSources(
  { sources, diagnostics: faults }: ReturnType<typeof readSources>,
  options: CompileOptions = {},
): Promise<Compiled> {
  const { secretKey, stored = [], environment = process.env } = options;
  const read = options.policy === undefined ? undefined : policySource(options.policy);
  const policy = read?.source;
  const given = { sources, environment, ...(policy && { policy }) };
  const diagnostics = [...faults, ...(read?.diagnostics ?? [])];
  const named = permitted(namedPackages(sources, environment), policy);
  const bundles = named.length === 0 ? [] : await loaded(named, options.bundle === true);
  const packages = loadedPackages(named);
  if (hasErrors(diagnostics)) return { ...given, diagnostics, result: undefined, packages, bundles };
  const now = Math.floor(Date.now() / 1000);
  const key = secretKey === undefined ? {} : { secretKey };
  const advice = options.advice !== false;
  const input = { sources, stored, environment, now, policy, advice, ...key };
  const memory = options.memory?.(sources, packages);
  const result =
    options.findingsOnly === true
      ? compileToPlan(input)
      : (await import("../compiler/index.js")).compile(input, options.target, memory);
  const found = [...diagnostics, ...result.diagnostics];
  return { ...given, diagnostics: found, result, packages, bundles };
}

/** Result without errors, and with a plan. */
type Planned = Compiled & { result: CompileResult & { plan: Plan } };

const isPlanned = (compiled: Compiled): compiled is Planned =>
  compiled.result?.plan !== undefined && !hasErrors(compiled.diagnostics);

/** Compiles the configuration of a command. @returns the exit code, after a message, if there is no plan */
export async function planPaths(
  paths: readonly string[],
  config: readonly string[] | undefined,
  format: Format = "text",
): Promise<Planned | number> {
  const chosen = chosenPaths(paths, config);
  if (chosen === undefined) return 2;
  const compiled = await compilePaths(chosen);
  if (isPlanned(compiled)) return compiled;
  printDiagnostics(format, compiled);
  return 1;
}

/** Imports the loader on demand, because most configurations name no packages. */
async function loaded(named: readonly NamedPackage[], wantsBundles: boolean): Promise<PluginBundle[]> {
  const { loadPackages } = await import("../compiler/packages/load.js");
  await loadPackages(named);
  return wantsBundles ? (await import("../compiler/packages/bundles.js")).bundlesOf(named) : [];
}

interface PrintOptions {
  color?: ColorChoice | undefined;
  /** Spans of the sources that no line may show, in addition to their secrets. */
  hidden?: readonly Span[];
  /** The command has `--format json`, which prints the omitted notes too. */
  hasJson?: boolean;
}

type Printed = Pick<Compiled, "sources" | "diagnostics" | "environment" | "policy" | "result">;

/**
 * Machine formats use standard output and print a document even without diagnostics, so that a pipe always
 * receives one. Text uses standard error, where it does not mix with the output of the command.
 */
export function printDiagnostics(
  format: Format,
  { sources: files, diagnostics, environment, policy, result }: Printed,
  { color = "auto", hidden = [], hasJson = false }: PrintOptions = {},
): void {
  const { shown, left } = format === "text" ? fewAlike(diagnostics) : { shown: diagnostics, left: [] };
  const sources = policy === undefined ? files : [...files, policy];
  const masks = [...masksOf(sources, shown, environment, result?.credentialNames), ...hidden];
  const text = render(format, shown, { sources, masks, color: usesColor(color, process.stderr) });
  if (format !== "text") process.stdout.write(text);
  else if (diagnostics.length > 0)
    process.stderr.write(
      `${text}${left.map((one) => moreText(one, hasJson)).join("")}${countText(diagnostics)}\n`,
    );
}

/** Diagnostics that a command prints: `--no-notes` omits notes. */
export const noted = (diagnostics: readonly Diagnostic[], { notes }: { notes?: boolean }): Diagnostic[] =>
  diagnostics.filter(({ severity }) => notes !== false || severity !== "note");

/** Maximum number of notes of one code in text: routes made from one template all have the same note. */
const MAX_ALIKE = 100;

/** Selects all errors and warnings, and the first notes of each code; counts the others by code. */
function fewAlike(diagnostics: readonly Diagnostic[]): { shown: Diagnostic[]; left: Omitted[] } {
  const met = new Map<string, number>();
  const shown = diagnostics.filter(({ code, severity }) => {
    if (severity !== "note") return true;
    const number = (met.get(code) ?? 0) + 1;
    met.set(code, number);
    return number <= MAX_ALIKE;
  });
  const left = Array.from(met, ([code, number]): Omitted => [code, number - MAX_ALIKE]);
  return { shown, left: left.filter(([, number]) => number > 0) };
}

type Omitted = [code: string, number: number];

const moreText = ([code, number]: Omitted, hasJson: boolean): string =>
  `\nnote ${code}: ${number} more like these${hasJson ? ", which `--format json` prints" : ""}\n`;
