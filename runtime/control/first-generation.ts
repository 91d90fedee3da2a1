import type { BuildPolicyReport } from "../../compiler/7-build/build-policy.js";
import type { Diagnostic } from "../../compiler/model/diagnostic.js";
import type { CompiledWhole, CompilerThread } from "../../compiler/thread/compiler-client.js";
import { compilerFault } from "../abi/compiler-died-error.js";
import { deltaTo } from "../abi/delta.js";
import { messageOf } from "../abi/error-message.js";
import type { Artifact } from "../abi/generation.js";
import { literalReference, literalVersion, unscoped } from "../abi/literal-secret.js";
import type { PluginFile } from "../abi/plugin-bundle.js";
import { ABI } from "../abi/version.js";
import { StartError } from "../process/contribution.js";
import type { GenerationContent } from "../process/generation-log.js";
import { log } from "../process/log.js";
import type { Secrets } from "../process/messages.js";
import type { StartStages } from "../process/starting.js";
import type { Configuration } from "./configuration.js";
import { isEmpty, mergeArtifacts } from "./delta.js";
import type { GenerationStore } from "./generation-store.js";
import type { Build, ConfigSource } from "./launch-settings.js";
import type { OpenedStore } from "./opened-store.js";
import { otherPluginFault, restoreBundles, writeBundles } from "./plugin-bundles.js";
import { isSame, type Publication } from "./publication.js";
import type { ReloadedSettings } from "./reloaded.js";
import { builtNames, clashOf } from "./resource-catalog.js";
import { NO_COMPILER } from "./run-settings.js";
import { textAt } from "./secret-paths.js";
import type { Settings } from "./settings.js";
import { encryptOpenSecrets } from "./store/encrypted.js";
import { type StoredResource, StoreError } from "./store/store.js";

interface EarlyServing {
  secretKey: string;
  connect: () => Promise<void>;
}

export interface StartParts {
  origin: ConfigSource;
  compiler: CompilerThread | null;
  runDirectory: string;
  opened: OpenedStore;
  configuration: Configuration;
  publication: Publication;
  stages: StartStages;
  /** Absent at the first start of a gateway, which has read its settings before. */
  settings?: SettingsOfStart | undefined;
  /** Absent if workers run in this process. */
  early?: EarlyServing | undefined;
}

export interface SettingsOfStart {
  read: (deployment: unknown) => ReloadedSettings;
  /** Applies the settings together with the compiled generation. */
  take: (settings: Settings) => void;
}

export interface StartOutcome {
  compiled: CompiledWhole | undefined;
  stale?: string;
  outdated?: string | undefined;
}

/** Begins with the configuration, or the last known good generation. @throws StartError if neither can run */
export async function beginGeneration(parts: StartParts): Promise<StartOutcome> {
  const { origin, compiler, runDirectory, opened, publication } = parts;
  const { saved, state, unusable } = opened;
  const last = saved.restore(unusable === undefined ? state.generation : undefined);
  const inputs = inputsOf(parts);
  await serveLast(parts, last, inputs);
  if (unusable === undefined) await encryptOpenSecrets(opened, parts.configuration.resources, compiler);
  const judgement = origin.kind === "dist" ? await policyReportOf(origin, compiler) : undefined;
  if (judgement && judgement.report !== "") throw new StartError(judgement.report);
  const clash = origin.kind === "dist" ? clashOf(builtNames(origin.artifact), state.resources) : undefined;
  const { compiled, fault } = unusable === undefined ? await compileAll(parts) : {};
  const { bundles = [] } = origin.kind === "dist" ? origin : (compiled ?? {});
  const made = writeBundles(runDirectory, bundles);
  saved.plugins = made;
  const artifact = fault === undefined ? artifactOf(origin, compiled) : undefined;
  const secrets = Object.fromEntries(compiled?.secrets ?? []);
  const deployment = origin.kind === "dist" ? origin.deployment : compiled?.deployment;
  const read = artifact && parts.settings?.read(deployment);
  const settings = read && "settings" in read ? read.settings : undefined;
  const unread = read && "fault" in read ? read.fault : undefined;
  const files = artifact && publication.certificateFault(artifact, settings?.tlsPolicy);
  const unfit = unread ?? (files && `error GW6008: ${files}`);
  const refused =
    clash ?? unfit ?? (artifact && (await beginWith(parts, artifact, { secrets, settings }, last)));
  if (artifact && refused === undefined) {
    const policy = samePolicy(judgement?.policy, compiled?.policy);
    publication.noteInputs(inputs === undefined ? undefined : compiled?.inputs, policy);
    return { compiled };
  }
  // Another policy, or none, accepted the last known good generation.
  if (compiled?.diagnostics.some(isOfPolicy)) throw new StartError(compiled.report);
  const reason = refused ?? unusable ?? fault ?? compiled?.report ?? "";
  if (!last) throw new StartError(reason);
  rejectOtherPolicy(last, parts, reason);
  saved.plugins = pluginsOf(last, saved, { made, runDirectory, reason });
  // A configuration that does not compile may still provide secrets for the saved generation.
  await publication.begin(last, secrets);
  log("last_known_good", { generation: last.number, reason });
  const stale = `the last known good generation (${last.number}) is running: ${reason}`;
  return { compiled, stale, outdated: compiled && otherPluginFault(saved.plugins, made) };
}

/** Digest of all inputs of a compile besides the store. Undefined: the last generation never serves early. */
function inputsOf({ origin, compiler, opened, early }: StartParts): string | undefined {
  if (origin.kind !== "files" || opened.unusable !== undefined || early === undefined) return undefined;
  return compiler?.inputs(origin.paths, opened.state.resources);
}

/**
 * Lets workers serve the last generation while the same inputs are compiled again, which takes a second for
 * some hundred routes. If the result differs, it replaces that generation.
 */
async function serveLast(
  { opened, publication, early }: StartParts,
  last: GenerationContent | undefined,
  inputs: string | undefined,
): Promise<void> {
  if (early === undefined || last === undefined || inputs === undefined || last.inputs !== inputs) return;
  const { resources, generation } = opened.state;
  // A damaged log, or one cut short by a full disk, lacks the last write: it may still have a deleted route.
  if (last.number !== generation) return;
  const now = Date.now() / 1000;
  const isDue = resources.some(({ expires = now + 1 }) => expires <= now);
  const secrets = secretsFor(last.secretNames, resources, early.secretKey);
  if (last.abi !== ABI || isDue || secrets === undefined) return;
  await publication.begin(last, secrets);
  await early.connect();
  log("serves_before_compile", { generation: last.number, routes: last.routes.size });
}

/** @returns undefined if some are not in the store: only a compile knows those of files */
function secretsFor(
  names: readonly string[],
  resources: readonly StoredResource[],
  key: string,
): Secrets | undefined {
  if (names.length === 0) return {};
  const known = new Map<string, string>();
  for (const { value, secrets = [] } of resources)
    for (const path of secrets) {
      const text = textAt(value, path);
      if (text !== undefined) known.set(literalReference(literalVersion(key, text)), text);
    }
  const found = names.map((name) => [name, known.get(unscoped(name))] as const);
  return found.every(([, text]) => text !== undefined) ? (Object.fromEntries(found) as Secrets) : undefined;
}

/** @throws StartError if a policy applies and a different one, or none, accepted the generation */
function rejectOtherPolicy(last: GenerationContent, { origin, compiler }: StartParts, reason: string): void {
  if (origin.policy === undefined) return;
  const policy = compiler?.policy();
  if (policy !== undefined && policy === last.policy) return;
  throw new StartError(
    `${reason}\nthe last known good generation cannot run: another policy, or none, accepted it`,
  );
}

const isOfPolicy = ({ code, severity }: Diagnostic) => severity === "error" && code.startsWith("GW9");

/** Checks a build against the policy; an empty report also if there is none. */
export async function policyReportOf(
  build: Build,
  compiler: CompilerThread | null,
): Promise<BuildPolicyReport> {
  const { policy, content, directory, deployment } = build;
  if (policy === undefined || content === undefined) return { report: "", policy: undefined };
  if (compiler === null) return { report: NO_COMPILER, policy: undefined };
  return compiler.judgeBuild({ ...content, resources: build.resources, deployment }, policy, directory);
}

/** Undefined if the policy file changed between build and overlay. An unreadable policy rejects both. */
export function samePolicy(build: string | undefined, compiled: string | undefined): string | undefined {
  const isOther = build !== undefined && compiled !== undefined && build !== compiled;
  return isOther ? undefined : (build ?? compiled);
}

/** Applies `settings` before workers receive the generation. @returns the reason why the store rejected it */
async function beginWith(
  { opened, publication, stages, ...parts }: StartParts,
  artifact: Artifact,
  { secrets, settings }: { secrets: Secrets; settings: Settings | undefined },
  last: GenerationContent | undefined,
): Promise<string | undefined> {
  const take = () => settings && parts.settings?.take(settings);
  // Nothing has changed: workers that outlived the last control are not disturbed.
  const same = last?.abi === artifact.abi && last.planHash === artifact.planHash;
  if (last && same && isEmpty(deltaTo(last, artifact))) {
    take();
    const serves = opened.saved.content === last && isSame(publication.secrets, secrets);
    if (!serves) await publication.begin(last, secrets);
    return undefined;
  }
  const { revision } = opened.state;
  stages.enter("publishing", { routes: artifact.routes.length, modules: artifact.modules.length });
  try {
    await publication.beginWith(artifact, secrets, (generation) => {
      opened.store.commit({ put: [], remove: [], generation, revision });
      take();
    });
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}

async function compileAll(parts: StartParts): Promise<{ compiled?: CompiledWhole; fault?: string }> {
  const { compiler, origin, opened, stages } = parts;
  const stored = opened.state.resources.map(({ kind, id, value }) => ({ kind, id, value }));
  if (!compiler || (origin.kind === "dist" && !origin.writable)) return {};
  stages.enter("compiling", { stored: stored.length });
  try {
    const loading =
      origin.kind === "files"
        ? compiler.load(origin.paths, stored)
        : compiler.load([], stored, origin.resources);
    return { compiled: await loading };
  } catch (error) {
    // A missing file of gwc, or a package whose code ends the thread: the next start would fail too.
    return { fault: compilerFault(error) };
  }
}

const artifactOf = (origin: ConfigSource, compiled: CompiledWhole | undefined): Artifact | undefined =>
  origin.kind === "dist" ? mergeArtifacts(origin.artifact, compiled?.artifact) : compiled?.artifact;

/** Restores plugins of packages, even if these have changed. @throws StartError if the generation cannot run */
function pluginsOf(
  last: GenerationContent,
  { directory }: GenerationStore,
  { made, runDirectory, reason }: { made: readonly PluginFile[]; runDirectory: string; reason: string },
): readonly PluginFile[] {
  if (last.abi !== ABI)
    throw new StartError(
      `${reason}\nthe last known good generation cannot run: another version of gwc wrote it`,
    );
  // Earlier versions did not store them.
  if (last.plugins === undefined) return made;
  try {
    return restoreBundles(directory, last.plugins, runDirectory);
  } catch (error) {
    throw new StartError(`${reason}\nthe last known good generation cannot run: ${messageOf(error)}`);
  }
}
