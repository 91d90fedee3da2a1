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
  /** All findings of all steps, each once, sorted by place. */
  diagnostics: Diagnostic[];
  resources: Resource[];
  /** Undefined, like `artifact`, when there are errors. */
  plan: Plan | undefined;
  artifact: Artifact | undefined;
  /** Values of the literal secrets by the reference that modules hold. They are in nothing else of this result. */
  secrets: ReadonlyMap<string, string>;
  /** Where plugins' settings write those secrets. */
  pluginSecrets: readonly LiteralSecret[];
  /** Generated TypeScript, sorted by unit. */
  modules: GeneratedModule[];
  /** Names that any of its resources gives to what carries credentials. */
  credentialNames: CredentialNames;
}

/** Memory of earlier compiles by the same compiler. It saves work and changes no byte; advice about a remembered route is not given again. */
export interface CompileMemory {
  routes: RouteCache;
  files: FileCache<FrontendPart>;
}

/**
 * Compiles a configuration up to the plan, without an artifact and modules: hashing and emitting find nothing, and take a quarter of
 * the time.
 * @param target finds what it lacks for the plan. Default: TypeScript, which lacks nothing and is not loaded for that
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
