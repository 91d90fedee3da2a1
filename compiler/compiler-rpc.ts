import type { ModuleText } from "../runtime/abi/generation.js";
import type { PluginBundle } from "../runtime/abi/plugin-bundle.js";
import type { HeavyWork } from "./analysis.js";
import { unloadable } from "./check/loadable.js";
import { refuseForeignNames } from "./check/names.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { diagnostic } from "./diagnostics/report.js";
import { renderText } from "./diagnostics/text.js";
import { Compilation, type Loaded, type Pending } from "./incremental.js";
import type { Change, CompileInput } from "./input.js";
import { bundlesOf } from "./packages/bundles.js";
import { contentHash } from "./packages/content-hash.js";
import { type LoadedPackage, loadedPackages, loadPackages } from "./packages/load.js";
import { keyOf, type NamedPackage, namedPackages } from "./packages/named.js";
import type { Path, SourceText } from "./parse/source.js";
import { plugins } from "./plugin/registry.js";
import { type BuiltContent, builtFindings } from "./policy/built.js";
import { permitted } from "./policy/policy.js";
import { type Note, OutOfTime, remember, within } from "./regex/analysis-cache.js";
import { idSpan } from "./resolve/duplicates.js";
import type { Kind, Resource } from "./resolve/resource.js";
import { literalSecretPaths } from "./validate/annotations.js";
import { schemaErrorText } from "./validate/error-text.js";
import { kindSchema, pluginSchema } from "./validate/published.js";
import { type ValidatedDocument, validateDocument } from "./validate-document.js";

export { Compilation } from "./incremental.js";

/** A resource of the files, for reads through the admin API. */
export interface StaticResource {
  kind: Kind;
  id: string;
  value: Record<string, unknown>;
  /** "gateway.yaml:10:5". */
  place: string;
  /** Where its secrets stand, when it has some. */
  secrets?: Path[];
}

/** The resources of the files, told as what is another than before: 20,000 of them take half a second to pass between threads. */
export interface Statics {
  /** "routes/shop" of every one, in the order of the files. */
  names: string[];
  /** Those that are others than in the load or the reload before that was accepted; all of them after a load. */
  put: StaticResource[];
}

/** What the control plane needs to know of the files. */
interface OfFiles {
  diagnostics: Diagnostic[];
  /** Findings as `gwc check` prints them. */
  report: string;
  deployment: Loaded["deployment"];
  statics: Statics;
}

/** Packages of plugins as loaded, and what they do at run time. */
export interface BegunPackages {
  packages: LoadedPackage[];
  bundles: PluginBundle[];
}

export type LoadedFiles = OfFiles & Pick<Loaded, "artifact" | "secrets">;
export type WrittenChange = Pick<Pending, "diagnostics" | "errorMessage" | "delta" | "secrets" | "absent"> & {
  /** The patterns take long: nothing has been decided, and `analyse` is to work this out first. */
  heavy?: HeavyWork;
};
export type ReloadedFiles = OfFiles &
  WrittenChange & {
    /** Where a build is given: all that is to run beside it. */
    artifact?: Loaded["artifact"];
  };

/** Files as read, with what could not be read. */
export interface ReadFiles {
  sources: SourceText[];
  faults: Diagnostic[];
  environment: CompileInput["environment"];
  policy?: SourceText | undefined;
  /** As in `CompileInput`. */
  built?: CompileInput["built"];
}

/**
 * What the compiler thread answers: arguments and results are plain data. No module leaves that names anything beyond the
 * runtime's surface, whatever made it.
 */
export class CompilerRpc {
  readonly #compilation: Compilation;
  #pending: Pending | undefined;
  /** Packages of the first files, which stay until the process ends. */
  #named: readonly NamedPackage[] | undefined;
  /** The resources of the files, by name, as control knows them. */
  #told: ReadonlyMap<string, Resource> = new Map();
  #offered: ReadonlyMap<string, Resource> | undefined;

  constructor(compilation: Compilation = new Compilation()) {
    this.#compilation = compilation;
  }

  /** Loads the packages that the files name, once; before anything else. */
  async begin({ sources, environment, policy }: ReadFiles): Promise<BegunPackages> {
    this.#named ??= permitted(namedPackages(sources, environment), policy);
    await loadPackages(this.#named);
    const bundles = await bundlesOf(this.#named);
    return { packages: loadedPackages(this.#named), bundles };
  }

  load(files: ReadFiles, stored: NonNullable<CompileInput["stored"]>): LoadedFiles {
    this.#pending = undefined;
    const loaded = this.#compilation.load({ ...files, stored });
    const foreign = [...this.#outdated(files), ...refused(loaded.artifact?.modules ?? [])];
    const { artifact, secrets } = loaded;
    this.#told = byName(loaded.resources);
    const statics = staticsOf(this.#told, new Map());
    if (foreign.length === 0) return { ...ofFiles(files, loaded), statics, artifact, secrets };
    const diagnostics = [...loaded.diagnostics, ...foreign];
    return { ...ofFiles(files, { ...loaded, diagnostics }), statics, artifact: undefined, secrets };
  }

  /** @param analysisMs milliseconds for patterns that are not known yet; beyond them the answer is `heavy` */
  write(changes: readonly Change[], analysisMs = Number.POSITIVE_INFINITY): WrittenChange {
    try {
      return this.#offer(within(analysisMs, () => this.#compilation.write(changes)));
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      const heavy = { changes, settings: this.#compilation.settings };
      return { ...NOTHING_YET, heavy };
    }
  }

  /** Takes over what `analyse` has found out in another thread. */
  remember(notes: readonly Note[]): void {
    remember(notes);
  }

  reload(files: ReadFiles, without: readonly { kind: Kind; id: string }[] = []): ReloadedFiles {
    const reload = this.#compilation.reload(files, without);
    const offered = this.#offer(reload, this.#outdated(files));
    const artifact = files.built && offered.delta && reload.artifact;
    const resources = byName(reload.resources);
    this.#offered = offered.delta && resources;
    return {
      statics: staticsOf(resources, this.#told),
      ...ofFiles(files, { ...reload, diagnostics: offered.diagnostics }),
      ...offered,
      ...(artifact && { artifact }),
    };
  }

  /** Why a build may not run, as findings are printed; "" when it may. */
  refusedBuild(built: BuiltContent, policy: string, directory: string): string {
    return builtFindings(built, policy, directory);
  }

  settle(accepted: boolean): void {
    if (accepted) this.#pending?.commit();
    else this.#pending?.rollback();
    if (accepted && this.#offered) this.#told = this.#offered;
    this.#pending = undefined;
    this.#offered = undefined;
  }

  places(origins: readonly string[]): string[] {
    return origins.map((origin) => this.#compilation.places.text(origin));
  }

  schema(kind: string): object | null {
    return kindSchema(kind) ?? null;
  }

  pluginSchema(name: string, type?: "consumer" | "metadata"): object | null {
    return pluginSchema(name, type) ?? null;
  }

  plugins(): { name: string; priority: number }[] {
    return plugins()
      .map(({ name, priority }) => ({ name, priority }))
      .sort((a, b) => b.priority - a.priority);
  }

  secretPaths(resources: readonly { kind: Kind; value: unknown }[]): Path[][] {
    return resources.map(({ kind, value }) => literalSecretPaths(kind, value));
  }

  validate(kind: Kind, value: unknown): string | null {
    return schemaErrorText(kind, value) ?? null;
  }

  validateDocument(text: string, format: "json" | "yaml"): ValidatedDocument {
    return validateDocument(text, format);
  }

  /** Packages that are named no longer or hold other code, though that of the start stays. New ones the compile itself reports. */
  #outdated({ sources, environment }: ReadFiles): Diagnostic[] {
    const named = new Set(namedPackages(sources, environment).map(keyOf));
    const gone = (this.#named ?? []).filter((one) => !named.has(keyOf(one)));
    const changed = loadedPackages(this.#named ?? []).filter(
      (one) => named.has(keyOf(one)) && hasChanged(one),
    );
    const said = [
      ...gone.map(({ name }) => `"${name}" was named when the gateway started`),
      ...changed.map(({ name }) => `"${name}" has changed since the gateway started`),
    ];
    return said.map((what) => diagnostic("GW7011", undefined, { what }));
  }

  #offer(pending: Pending, others: readonly Diagnostic[] = []): WrittenChange {
    const { diagnostics, errorMessage, delta, secrets, absent } = pending;
    const foreign = [...others, ...refused(delta?.modules.put ?? [])];
    const [first] = foreign;
    if (first !== undefined) {
      pending.rollback();
      this.#pending = undefined;
      const found = [...diagnostics, ...foreign];
      return { diagnostics: found, errorMessage: first.message, delta: undefined, secrets, absent: [] };
    }
    this.#pending = delta && pending;
    return { diagnostics, errorMessage, delta, secrets, absent };
  }
}

function hasChanged({ root, name, hash }: LoadedPackage): boolean {
  try {
    return contentHash(root, name) !== hash;
  } catch {
    return true;
  }
}

/** `vm.compileFunction` is no sandbox, so a text is read before any worker gets it, and compiled: 0.2 ms for the 35 lines of a route. */
function refused(modules: readonly ModuleText[]): Diagnostic[] {
  const foreign = modules.flatMap(({ file, code }) => {
    const reason = refuseForeignNames(code);
    return reason === null ? [] : [diagnostic("GW5003", undefined, { file, message: reason })];
  });
  return [...unloadable(modules), ...foreign];
}

const NOTHING_YET: WrittenChange = {
  diagnostics: [],
  errorMessage: "",
  delta: undefined,
  secrets: new Map(),
  absent: [],
};

function ofFiles(
  { sources }: ReadFiles,
  loaded: Pick<Loaded, "diagnostics" | "masks" | "deployment">,
): Omit<OfFiles, "statics"> {
  const { diagnostics, deployment, masks } = loaded;
  const report = renderText(diagnostics, { sources, masks });
  return { diagnostics, report, deployment };
}

const byName = (resources: readonly Resource[]): ReadonlyMap<string, Resource> =>
  new Map(resources.map((resource) => [`${resource.kind}/${resource.id}`, resource]));

function staticsOf(resources: ReadonlyMap<string, Resource>, before: ReadonlyMap<string, Resource>): Statics {
  const changed = [...resources].filter(([name, resource]) => before.get(name) !== resource);
  return { names: [...resources.keys()], put: changed.map(([, resource]) => staticResource(resource)) };
}

function staticResource(resource: Resource): StaticResource {
  const { file, start } = idSpan(resource);
  const secrets = literalSecretPaths(resource.kind, resource.value);
  return {
    kind: resource.kind,
    id: resource.id,
    value: resource.value as Record<string, unknown>,
    place: `${file}:${start.line}:${start.column}`,
    ...(secrets.length > 0 && { secrets }),
  };
}
