import "../../plugins/index.js";
import "../../plugins/runtime.js";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { diagnostic } from "../../compiler/diagnostics/report.js";
import type { LoadedPackage } from "../../compiler/model/package.js";
import { locationsOf } from "../../compiler/model/source-locations.js";
import { bundlesOf } from "../../compiler/packages/bundles.js";
import { loadPackages } from "../../compiler/packages/load.js";
import { locate } from "../../compiler/packages/locate.js";
import { packageOutcome } from "../../compiler/packages/outcomes.js";
import { PackageError } from "../../compiler/packages/package-error.js";
import type { Oracle } from "../../compiler/plugin/package.js";
import { prose } from "../../compiler/prose/prose.js";
import { messageOf } from "../../runtime/abi/error-message.js";
import { visible } from "../../runtime/abi/text/unseen.js";
import { writeBundles } from "../../runtime/control/plugin-bundles.js";
import { loadPluginFiles } from "../../runtime/process/plugin-files.js";
import { failed, printJson } from "../output.js";
import { readCases } from "./case-file.js";
import { type CaseResult, runCases, runtimeSources } from "./cases.js";
import { checkExamples, checkedModules, checkPacked, checkReadme } from "./checks.js";
import { type Place, placeOf } from "./compile-case.js";
import { oracleOf } from "./oracle-check.js";
import { type Failure, hasFailed, type Outcome, type Tested, textOf } from "./report.js";

/** Tolerance in ms: a checkout may write its files seconds apart, in any order. */
const TOLERATED_MS = 5_000;

/** Tests would not run code that changed after its compile. @param built folder of the compiled entry */
export function staleFiles(root: string, built: string): Failure[] {
  return sourcesIn(join(root, "src")).flatMap((source) => {
    const output = join(built, relative(join(root, "src"), source).replace(/\.([cm]?)ts$/, ".$1js"));
    const [written, compiled] = [changedAt(source), changedAt(output)];
    if (written === undefined || compiled === undefined || written - compiled < TOLERATED_MS) return [];
    const [file, older] = [relative(root, source), relative(root, output)];
    return [{ file, message: `newer than ${older}, which the test uses: run npx tsc` }];
  });
}

function sourcesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => /(?<!\.d)\.[cm]?ts$/.test(path))
      .map((path) => join(folder, path))
      .sort();
  } catch {
    return [];
  }
}

function changedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** `gwc test-plugin [folder]`: exit 0 if all checks pass, 1 if one fails, 2 if the folder is no package. */
export async function testPlugin(folder: string, { format }: { format: "text" | "json" }): Promise<number> {
  const root = resolve(folder);
  if (!existsSync(join(root, "package.json")))
    return failed(`${folder} has no package.json; name the folder of a plugin's package`, 2);
  const tested = await test(root);
  if (format === "json") printJson(tested);
  else process.stdout.write(visible(textOf(tested)));
  return hasFailed(tested) ? 1 : 0;
}

async function test(root: string): Promise<Tested> {
  const place = placeOf(root);
  await loadPackages([place]);
  const loaded = packageOutcome(place);
  if (loaded === undefined || loaded instanceof PackageError)
    return { package: place.name, version: "", plugin: undefined, outcomes: [notLoaded(loaded)] };
  const { plugin, version } = loaded;
  const located = locate(place);
  const { entry, packageName } = located;
  const { cases, failures } = readCases(root);
  const stale = staleFiles(root, dirname(entry));
  const outcomes: Outcome[] = [{ check: "package", seen: `plugin ${plugin}`, failures: stale }];
  const oracle = await loadedOracle(located, relative(root, entry), outcomes);
  outcomes.push(...(await registerBundle(loaded, place)));
  if (outcomes.some(({ check, failures: found }) => found.length > 0 && check !== "package"))
    return { package: packageName, version, plugin, outcomes };
  const sourceOf = runtimeSources(loaded.runtime, loaded.root);
  const ran = await runCases(cases, { plugin, place, oracle, sourceOf });
  ran.cases.failures.unshift(...failures);
  const packed = [entry, ...(loaded.runtime === undefined ? [] : [loaded.runtime])];
  outcomes.push(
    checkExamples(root, plugin),
    ran.cases,
    ...(ran.oracle ? [ran.oracle] : []),
    ran.plans,
    checkedModules(root, ran.results),
    ...missingDescriptions(relative(root, entry), ran.results),
    checkReadme(root, place),
    await checkPacked(root, packed),
  );
  return { package: packageName, version, plugin, outcomes };
}

/** Outcome for a package that cannot be loaded, so that no other check can run. */
function notLoaded(fault: PackageError | undefined, otherwise = "package.json"): Outcome {
  const found = fault && diagnostic(fault.code, undefined, fault.params);
  const file = fault?.params["file"];
  return {
    check: "package",
    seen: "",
    failures: [
      {
        file: typeof file === "string" ? file : otherwise,
        message: `${found?.code}: ${found?.message}${fault?.help === undefined ? "" : `; ${fault.help}`}`,
      },
    ],
  };
}

/** Loads the oracle; an error that it throws is a failure of that file. */
async function loadedOracle(
  located: Parameters<typeof oracleOf>[0],
  file: string,
  outcomes: Outcome[],
): Promise<Oracle | undefined> {
  try {
    return await oracleOf(located);
  } catch (error) {
    outcomes.push({ check: "oracle", seen: "", failures: [{ file, message: messageOf(error) }] });
    return undefined;
  }
}

/** Loads the runtime part of the package into this process, as the single file that a build makes of it. */
async function registerBundle(loaded: LoadedPackage, place: Place): Promise<Outcome[]> {
  const { runtime } = loaded;
  if (runtime === undefined) return [];
  const [bundle] = await bundlesOf([place]);
  const outcome = packageOutcome(place);
  if (bundle === undefined)
    return [
      {
        ...notLoaded(outcome instanceof PackageError ? outcome : undefined, relative(loaded.root, runtime)),
        check: "runtime",
      },
    ];
  const folder = mkdtempSync(join(tmpdir(), "gwc-plugin-"));
  try {
    await loadPluginFiles(writeBundles(folder, [bundle]));
    return [{ check: "runtime", seen: `one file of ${bundle.code.length} bytes`, failures: [] }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reports a package without descriptions for `gwc explain-route`. It compiles, but its author has to add them. */
function missingDescriptions(file: string, results: readonly CaseResult[]): Outcome[] {
  const lacking = results.flatMap(({ result: { plan, resources } }) =>
    plan === undefined ? [] : prose.lacks(plan, locationsOf(resources)),
  );
  const [first] = lacking;
  if (first === undefined) return [];
  const message = `${first.code}: ${first.message}`;
  return [{ check: "words", seen: "", failures: [{ file, message }] }];
}
