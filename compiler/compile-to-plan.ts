import type { Artifact } from "../runtime/abi/generation.js";
import { DiagnosticCollector } from "./diagnostics/collector.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import type { GeneratedModule } from "./emit/typescript.js";
import type { EmitTarget } from "./emit-target.js";
import { type FrontendPart, readConfiguration, type Settings } from "./frontend.js";
import type { FileCache } from "./incremental/file-cache.js";
import type { CompileInput } from "./input.js";
import { planConfiguration } from "./plan/parts.js";
import type { Plan } from "./plan/plan-document.js";
import { planSettings } from "./plan/plan-settings.js";
import type { RouteCache } from "./plan/route-cache.js";
import { type LiteralSecret, SecretKeeper } from "./plan/secret.js";
import { locationsOf } from "./plan/source-locations.js";
import { checkPlanPolicy } from "./policy/plan-policy.js";
import { namesOfAll, redactDiagnostics } from "./redact-diagnostics.js";
import { resolve } from "./resolve/index.js";
import type { Resource } from "./resolve/resource.js";
import type { CredentialNames } from "./validate/credential-names.js";

export interface CompileResult extends Settings {
  /** Diagnostics of all steps, without duplicates, sorted by location. */
  diagnostics: Diagnostic[];
  resources: Resource[];
  /** Undefined, like `artifact`, if there are errors. */
  plan: Plan | undefined;
  artifact: Artifact | undefined;
  /**
   * Values of the literal secrets by the reference in the modules. No other field of this result contains
   * them.
   */
  secrets: ReadonlyMap<string, string>;
  /** Locations of those secrets in settings of plugins. */
  pluginSecrets: readonly LiteralSecret[];
  /** Generated TypeScript, sorted by module id. */
  modules: GeneratedModule[];
  /** Names of headers, arguments and variables that carry credentials, according to any resource. */
  credentialNames: CredentialNames;
}

/**
 * Cache of earlier compiles by the same compiler. It never changes the result, but advice about a cached
 * route is not repeated.
 */
export interface CompileMemory {
  routes: RouteCache;
  files: FileCache<FrontendPart>;
}

/**
 * Compiles a configuration to a plan, without artifact and modules. Hashing and emitting find no errors and
 * take a quarter of the time.
 * @param target reports plan features that it cannot express. Default: TypeScript, which expresses all and is
 * not loaded for this
 */
export function compileToPlan(
  input: CompileInput,
  target?: EmitTarget<GeneratedModule>,
  memory?: CompileMemory,
): CompileResult {
  const findings = new DiagnosticCollector({ advice: input.advice });
  const { resources, absences, partial, context, diagnostics, documents, policy, ...read } =
    readConfiguration(input, memory?.files);
  const { settled, ...settings } = read;
  findings.addAll(diagnostics);
  const resolution = resolve(resources, context, absences, partial, input.now);
  findings.addAll(resolution.diagnostics);
  const keeper = new SecretKeeper(input.secretKey);
  const plan = planConfiguration(
    resolution.configuration,
    resolution.checkOnly,
    findings.report,
    keeper,
    planSettings(settings.deployment, settled !== undefined),
    memory?.routes.plan,
  );
  if (policy) checkPlanPolicy(policy, resources, plan, findings.report);
  if (target && !findings.hasErrors) findings.addAll(target.lacks(plan, locationsOf(resources)));
  const { values: secrets, literals: pluginSecrets } = keeper;
  const ofStore = resources.filter(({ from }) => from !== "file");
  const credentialNames = namesOfAll({ documents, resources: ofStore });
  const written = { documents, resources: ofStore, names: credentialNames };
  const shown = redactDiagnostics(findings.sorted(), written);
  return {
    ...settings,
    ...{ diagnostics: shown, resources, secrets, pluginSecrets, credentialNames },
    ...{ plan: findings.hasErrors ? undefined : plan, artifact: undefined, modules: [] },
  };
}
