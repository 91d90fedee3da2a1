import type { ReadFiles } from "./compiler-rpc.js";
import { renderText } from "./diagnostics/text.js";
import { readConfiguration, type Settings } from "./frontend.js";
import { loadPackages } from "./packages/load.js";
import { namedPackages } from "./packages/named.js";
import { readSources } from "./parse/files.js";
import { withoutLists } from "./parse/without-lists.js";
import { kinds } from "./resolve/resource.js";
import { masksOf } from "./secrets.js";
import { TESTS } from "./validate/tests.js";

/** What has to be known of the files before anything can be bound. */
export interface DeploymentFront {
  deployment: Settings["deployment"];
  /** True when the files hold an error that leaves the deployment settings unknown. */
  unreadable: boolean;
  /** Findings as `gwc check` prints them. */
  report: string;
}

/** Reads files as the compiler's thread is given them. */
export function readFiles(paths: readonly string[], directory: string): ReadFiles {
  const { sources, diagnostics } = readSources(paths, directory);
  return { sources, faults: diagnostics, environment: { ...process.env } };
}

/**
 * Parses and validates, without compiling: enough for the deployment settings. Findings about resources do not make
 * them unreadable, since the last known good generation may run instead.
 */
export async function readDeployment(paths: readonly string[], directory: string): Promise<DeploymentFront> {
  const { sources, faults, environment } = readFiles(paths, directory);
  await loadPackages(namedPackages(sources, environment));
  const settings = settingsAlone({ sources, faults, environment });
  if (settings !== undefined) return { deployment: settings, unreadable: false, report: "" };
  const front = readConfiguration({ sources, faults, environment });
  const { diagnostics } = front;
  const report = renderText(diagnostics, { sources, masks: masksOf(sources, diagnostics) });
  const broken = faults.some(({ severity }) => severity === "error");
  const refused = front.deployment === null && diagnostics.some(({ severity }) => severity === "error");
  return { deployment: front.deployment, unreadable: broken || refused, report };
}

/** The settings, read without the resources beside them; undefined where all has to be read to know them, or what is wrong with them. */
function settingsAlone({ sources, faults, environment }: ReadFiles): Settings["deployment"] | undefined {
  if (faults.length > 0) return undefined;
  const lists = [...kinds(), TESTS];
  const without = sources.map((source) => withoutLists(source, lists));
  if (without.some((source) => source === undefined)) return undefined;
  const rest = without.filter((source) => source !== undefined);
  const { deployment, diagnostics } = readConfiguration({ sources: rest, faults, environment });
  return diagnostics.some(({ severity }) => severity === "error") ? undefined : deployment;
}
