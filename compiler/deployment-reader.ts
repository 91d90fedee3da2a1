import type { ReadFiles } from "./compiler-rpc.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { renderText } from "./diagnostics/text.js";
import { type Frontend, readConfiguration, type Settings } from "./frontend.js";
import { loadPackages } from "./packages/load.js";
import { namedPackages } from "./packages/named.js";
import { stripLists } from "./parse/strip-lists.js";
import { checkSettings } from "./policy/check.js";
import { permitted } from "./policy/policy.js";
import { readFiles } from "./read-files.js";
import { namesOfAll } from "./redact-diagnostics.js";
import { kinds } from "./resolve/resource.js";
import { masksOf } from "./secrets.js";
import { TESTS } from "./validate/tests.js";

export { listenersReport } from "./policy/build-policy.js";
export { policyHash } from "./policy/policy-file.js";
export { readFiles } from "./read-files.js";

/** What has to be known of the files before anything can be bound. */
export interface DeploymentFront {
  deployment: Settings["deployment"];
  /** True when the files hold an error that leaves the deployment settings unknown. */
  unreadable: boolean;
  /** Findings as `gwc check` prints them. */
  report: string;
}

/**
 * Parses and validates, without compiling: enough for the deployment settings. Findings about resources do not make
 * them unreadable, since the last known good generation may run instead.
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
 * Breaches by the settings of the files without errors, which a gateway would bind beside the last known good generation.
 * `gwc check` judges none of them: the file with the error may hold the others.
 */
function breachesOf({ policy, deployment, documents, diagnostics }: Frontend): Diagnostic[] {
  const errors = diagnostics.filter(isError);
  if (policy === undefined || deployment === null || errors.length === 0 || errors.some(isOfPolicy))
    return [];
  const found: Diagnostic[] = [];
  checkSettings(policy, documents, deployment, (breach) => found.push(breach));
  return found;
}

const isError = ({ severity }: Diagnostic): boolean => severity === "error";

/** The settings, read without the resources beside them; undefined where all has to be read to know them, or what is wrong with them. */
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

/** What may be bound, and loaded, the policy decides, whatever else could run. */
const isOfPolicy = ({ code }: Diagnostic) => code.startsWith("GW9");
