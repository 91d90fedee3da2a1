import { stripLists } from "../1-parse/strip-lists.js";
import { TESTS } from "../2-validate/tests.js";
import { type Frontend, readConfiguration, type Settings } from "../compilation/frontend.js";
import { type Diagnostic, isError } from "../model/diagnostic.js";
import { kinds } from "../model/resource.js";
import { loadPackages } from "../packages/load.js";
import { namedPackages } from "../packages/named.js";
import { checkSettings } from "../policy/check.js";
import { permitted } from "../policy/policy.js";
import { renderText } from "../report/text.js";
import { namesOfAll } from "../secrets/redact-diagnostics.js";
import { masksOf } from "../secrets/secret-spans.js";
import type { ReadFiles } from "./compiler-rpc.js";
import { readFiles } from "./read-files.js";

export { listenersReport } from "../7-build/build-policy.js";
export { policyHash } from "../policy/policy-file.js";
export { readFiles } from "./read-files.js";

/** Settings that a start needs before it binds a listener. */
export interface DeploymentFront {
  deployment: Settings["deployment"];
  /** An error in the files leaves the settings unknown. */
  unreadable: boolean;
  report: string;
}

/**
 * Parses and validates without compiling. Diagnostics about resources do not make the settings unreadable,
 * since the last known good generation may run instead.
 */
export async function readDeployment(
  paths: readonly string[],
  directory: string,
  policy?: string,
): Promise<DeploymentFront> {
  const files = readFiles(paths, directory, policy);
  const { sources, faults, environment } = files;
  await loadPackages(permitted(namedPackages(sources, environment), files.policy));
  const settings = settingsAlone(files);
  if (settings !== undefined) return { deployment: settings, unreadable: false, report: "" };
  const front = readConfiguration(files);
  const { deployment } = front;
  const diagnostics = [...breachesOf(front), ...front.diagnostics];
  const masks = masksOf(sources, diagnostics, environment, namesOfAll(front));
  const report = renderText(diagnostics, { sources, masks });
  const broken = [...faults, ...(files.policy && !front.policy ? diagnostics : [])].some(isError);
  const errors = diagnostics.filter(isError);
  const refused = errors.length > 0 && (deployment === null || errors.some(isOfPolicy));
  return { deployment, unreadable: broken || refused, report };
}

/**
 * Violations by the settings of files without errors, which a gateway would bind for the last known good
 * generation. `gwc check` does not check them: the file with the error may hold the other settings.
 */
function breachesOf({ policy, deployment, documents, diagnostics }: Frontend): Diagnostic[] {
  const errors = diagnostics.filter(isError);
  if (policy === undefined || deployment === null || errors.length === 0 || errors.some(isOfPolicy))
    return [];
  const found: Diagnostic[] = [];
  checkSettings(policy, documents, deployment, (breach) => found.push(breach));
  return found;
}

/** Leaves out the resources. @returns undefined if all must be read to know the settings or their errors */
function settingsAlone(files: ReadFiles): Settings["deployment"] | undefined {
  const { sources, faults } = files;
  if (faults.length > 0) return undefined;
  const lists = [...kinds(), TESTS];
  const without = sources.map((source) => stripLists(source, lists));
  if (without.some((source) => source === undefined)) return undefined;
  const rest = without.filter((source) => source !== undefined);
  const { deployment, diagnostics } = readConfiguration({ ...files, sources: rest });
  return diagnostics.some(isError) ? undefined : deployment;
}

/** The policy decides which listeners and packages are allowed, whatever else could run. */
const isOfPolicy = ({ code }: Diagnostic) => code.startsWith("GW9");
