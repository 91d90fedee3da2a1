import type { Artifact } from "../runtime/abi/generation.js";
import { ABI } from "../runtime/abi/version.js";
import type { Diagnostic, Span } from "./diagnostics/diagnostic.js";
import { Findings } from "./diagnostics/findings.js";
import { type GeneratedModule, typescript } from "./emit/typescript.js";
import { type Part, readConfiguration, type Settings, secretSpans } from "./frontend.js";
import type { PartsBefore } from "./incremental/parts-before.js";
import type { CompileInput } from "./input.js";
import { metadataHash, metadataRow } from "./log/metadata.js";
import { pipelineHash } from "./plan/canonical.js";
import { fingerprint, planConfiguration } from "./plan/parts.js";
import { placesOf } from "./plan/places.js";
import { planSettings } from "./plan/plan-settings.js";
import type { RouteMemory } from "./plan/route-memory.js";
import { type LiteralSecret, SecretKeeper } from "./plan/secret.js";
import { unitOf } from "./plan/unit.js";
import { type Plan, type PlanPart, pipelinesOf } from "./plan/whole.js";
import { checkWhole } from "./policy/whole.js";
import { resolve } from "./resolve/index.js";
import type { Resource } from "./resolve/resource.js";
import type { Target } from "./target.js";

export type { CompileInput, StoredResource } from "./input.js";

export interface CompileResult extends Settings {
  /** All findings of all steps, each once, sorted by place. */
  diagnostics: Diagnostic[];
  /** Places of secrets in the sources, which a rendered finding must not show; without a finding only those that a build may warn of. */
  masks: Span[];
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
}

/** Of earlier compiles by the same compiler. It saves work and changes no byte. */
export interface CompileMemory {
  routes: RouteMemory;
  files: PartsBefore<Part>;
}

/**
 * Compiles a configuration: parse, validate, resolve, plan, emit with the target. Pure: the same input gives the same bytes. Never throws
 * for what users write; the type check of what it generates is `check`, a step of its own.
 */
export function compile(
  input: CompileInput,
  target: Target<GeneratedModule> = typescript,
  memory?: CompileMemory,
): CompileResult {
  const { plan, ...result } = findingsOf(input, target, memory);
  if (plan === undefined) return { ...result, plan };
  const pipelines = pipelinesOf(plan);
  const hashes = new Map<PlanPart, string>([
    ...pipelines.map(
      (pipeline) => [pipeline, memory?.routes.made(pipeline)?.pipeline ?? pipelineHash(pipeline)] as const,
    ),
    ...(plan.pluginMetadata ?? []).map((metadata) => [metadata, metadataHash(metadata)] as const),
  ]);
  const modules = target.emit(
    plan,
    (part) => hashes.get(part) ?? "",
    (part) => memory?.routes.made(part)?.texts,
  );
  modules.sort((a, b) => (a.text.unit < b.text.unit ? -1 : 1));
  return { ...result, plan, artifact: artifactOf(plan, hashes, modules), modules };
}

/**
 * The same up to the plan, without an artifact and modules: hashing and emitting find nothing, and take a quarter of the time.
 */
export function findingsOf(
  input: CompileInput,
  target: Target<GeneratedModule> = typescript,
  memory?: CompileMemory,
): CompileResult {
  const findings = new Findings();
  const { resources, absences, partial, context, diagnostics, documents, policy, unread, ...settings } =
    readConfiguration(input, memory?.files);
  findings.addAll(diagnostics);
  const resolution = resolve(resources, context, absences, partial, input.now);
  findings.addAll(resolution.diagnostics);
  const keeper = new SecretKeeper(input.secretKey);
  const plan = planConfiguration(
    resolution.configuration,
    resolution.checkOnly,
    findings.report,
    keeper,
    planSettings(settings.deployment),
    memory?.routes.plan,
  );
  if (policy) checkWhole(policy, resources, plan, findings.report);
  if (!findings.hasErrors) findings.addAll(target.lacks(plan, placesOf(resources)));
  const { values: secrets, literals: pluginSecrets } = keeper;
  const masks = findings.isEmpty
    ? [...settings.literalSecrets, ...pluginSecrets].map(({ span }) => span)
    : secretSpans({ documents, unread });
  return {
    ...settings,
    ...{ diagnostics: findings.sorted(), masks, resources, secrets, pluginSecrets },
    ...{ plan: findings.hasErrors ? undefined : plan, artifact: undefined, modules: [] },
  };
}

function artifactOf(
  plan: Plan,
  hashes: ReadonlyMap<PlanPart, string>,
  modules: readonly GeneratedModule[],
): Artifact {
  return {
    abi: ABI,
    planHash: fingerprint(plan, hashes).digest(),
    routes: plan.routes.map(({ row }) => row),
    upstreams: plan.upstreams,
    globalRules: plan.globalRules.map((rule) => ({ id: rule.id, unit: unitOf(rule) })),
    pluginMetadata: (plan.pluginMetadata ?? []).map(metadataRow),
    ...(plan.tables && { tables: plan.tables }),
    modules: modules.map(({ text }) => text),
  };
}
