import "../plugins/index.js";
import { resolve } from "node:path";
import { setFlagsFromString } from "node:v8";
import { BuildCache } from "../compiler/7-build/build-cache.js";
import { codeHash } from "../compiler/7-build/code-hash.js";
import { LinkedCopy } from "../compiler/7-build/linked-copy.js";
import { replacedFiles } from "../compiler/7-build/listed-files.js";
import type { WriteCounts } from "../compiler/7-build/replace-directory.js";
import { sbomText } from "../compiler/7-build/sbom.js";
import type { Signer } from "../compiler/7-build/sign.js";
import { targetOf, writeBuild } from "../compiler/7-build/write.js";
import { readUserCache, writeUserCache } from "../compiler/cache/user-cache.js";
import { hasErrors } from "../compiler/model/diagnostic.js";
import type { LoadedPackage } from "../compiler/model/package.js";
import type { SourceText } from "../compiler/model/source.js";
import { unsetSecretsOfFiles } from "../compiler/secrets/unset-variables.js";
import { canonicalHash, sha256 } from "../runtime/abi/hash.js";
import { visibleLine } from "../runtime/abi/text/unseen.js";
import { checkedModules, type KnownChecks, knownChecks } from "./checked-modules.js";
import { compilePaths, noted, printDiagnostics, type ReportedOptions } from "./input.js";
import { Progress, pluralize } from "./output.js";
import { chosenPaths } from "./paths.js";
import { chosenSigner, type SigningOptions, unlistedFiles } from "./signing.js";

/** Minimum size in characters, some 300 routes. A smaller configuration is faster to build again. */
const WORTH = 100_000;

export const charactersOf = (sources: readonly SourceText[]): number =>
  sources.reduce((sum, { text }) => sum + text.length, 0);

interface BuildOptions extends ReportedOptions, SigningOptions {
  out: string;
  typeCheck: boolean;
  /** Directory of the cache of passed type checks, shared by builds. */
  cache?: string;
  sbom?: boolean;
  provenance?: boolean;
}

/** Characters of configuration above which garbage collection matters: some 3,000 routes. */
const LARGE = 1_000_000;

/** `gwc build`: compiles, checks the modules and writes the directory; writes nothing if there are errors. */
export async function build(paths: string[], options: BuildOptions): Promise<number> {
  const chosen = chosenPaths(paths, options.config);
  if (chosen === undefined) return 2;
  const signer = chosenSigner(options);
  if (signer === "unusable") return 2;
  const ahead: WorkAhead = {};
  // A signed build is made without the cache, and a policy reads the whole configuration.
  const usesCache = signer === undefined && options.policy === undefined;
  try {
    return await buildOnce(chosen, { ...options, signer, ahead, usesCache });
  } finally {
    await ahead.copy?.end();
  }
}

/** Work for a build that starts before its diagnostics are known. */
interface WorkAhead {
  copy?: LinkedCopy;
}

interface OneBuild extends BuildOptions {
  signer: Signer | undefined;
  ahead: WorkAhead;
  /** Reuses the cache of the last build. */
  usesCache: boolean;
}

/** Results of earlier builds that one build uses. */
class EarlierResults {
  checks: KnownChecks | undefined;
  /** Undefined if the configuration is small. */
  memory: BuildCache | undefined;
  #maker = "";
  readonly #options: OneBuild;

  constructor(options: OneBuild) {
    this.#options = options;
  }

  read(sources: readonly SourceText[], packages: readonly LoadedPackage[]): BuildCache | undefined {
    const { out, usesCache, typeCheck, cache: shared } = this.#options;
    const replaced = replacedFiles(targetOf(out));
    this.checks = typeCheck ? knownChecks(replaced, shared, packages) : undefined;
    if (charactersOf(sources) < WORTH) return undefined;
    this.#maker = canonicalHash([codeHash(packages), resolve(out), process.cwd()]);
    const kept = usesCache ? readUserCache(out, this.#maker) : undefined;
    const needsPlans = packages.length > 0;
    this.memory = new BuildCache(kept, sources, { replaced, passed: this.checks?.passed, needsPlans });
    return this.memory;
  }

  keep(...made: Parameters<BuildCache["add"]>): void {
    if (this.memory === undefined) return;
    this.memory.add(...made);
    writeUserCache(this.#options.out, this.#maker, this.memory.cache);
  }
}

/** Builds again without the cache if a file that an earlier build made is missing or damaged. */
async function buildOnce(chosen: readonly string[], options: OneBuild): Promise<number> {
  const { ahead, signer } = options;
  const earlier = new EarlierResults(options);
  let placed: WriteCounts | undefined;
  const progress = new Progress(options.quiet === true);
  progress.stage("compiling");
  const compiled = await compilePaths(chosen, {
    bundle: true,
    advice: false,
    policy: options.policy,
    memory: (read, loaded) => {
      const memory = earlier.read(read, loaded);
      if (memory?.isEmpty !== false) spareMemory(read);
      else if (!memory.hasSameSources) ahead.copy ??= new LinkedCopy(targetOf(options.out));
      return memory;
    },
  });
  const { sources, diagnostics, result, packages, bundles, policy } = compiled;
  const findings = [...diagnostics, ...unsetSecretsOfFiles(sources, process.env)];
  const { artifact, modules = [], unchanged = [] } = result ?? {};
  const count = modules.length + unchanged.length;
  if (result && artifact && !hasErrors(findings)) {
    const { checks, memory } = earlier;
    const hashes = unchanged.map(({ made }) => made.typescript.hash);
    const known = checks && { ...checks, cache: memory?.cache };
    if (known) findings.push(...(await checkedModules(modules, hashes, known, progress)));
    if (!hasErrors(findings)) {
      progress.stage(`writing ${pluralize(count, "module")} to ${options.out}`);
      const written = writeBuild(options.out, {
        ...{ ...result, artifact, packages, bundles, checked: checks?.checker, copy: ahead.copy },
        ...(policy && { policy: sha256(policy.text) }),
        ...(options.sbom === true && { sbom: sbomText(packages) }),
        beside: unlistedFiles(signer, options.provenance === true ? { sources, packages } : undefined),
      });
      if (written.isStale) return buildOnce(chosen, { ...options, usesCache: false });
      placed = written.counts;
      findings.push(...written.diagnostics);
      if (written.files) earlier.keep(artifact.routes, modules, written.files);
    }
  }
  progress.end();
  printDiagnostics(
    options.format,
    { ...compiled, diagnostics: noted(findings, options) },
    { color: options.color, hasJson: true },
  );
  if (hasErrors(findings)) return 1;
  if (options.format === "text" && options.quiet !== true) {
    process.stdout.write(
      `${visibleLine(options.out)}: ${pluralize(count, "module")} for ${pluralize(artifact?.routes.length ?? 0, "route")}, ${placedText(placed)}, in ${progress.seconds} s\n`,
    );
  }
  return 0;
}

function placedText({ written, kept }: WriteCounts = { written: 0, kept: 0 }): string {
  const files = `${pluralize(written, "file")} written`;
  return kept === 0 ? files : `${files}, ${kept} unchanged`;
}

/**
 * Makes V8 collect garbage when the heap has grown by a fifth. By default V8 lets the heap of a compiler,
 * which allocates much and frees little, grow fourfold. 20,000 routes took 775 MB with 290 in use; they now
 * take 550 MB for a tenth more CPU time. V8 reads the flag at each collection, so it can be set after the
 * start. A build with a cache stays below that without the flag, and is faster.
 */
function spareMemory(sources: readonly SourceText[]): void {
  if (charactersOf(sources) >= LARGE) setFlagsFromString("--heap-growing-percent=20");
}
