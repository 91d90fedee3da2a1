/**
 * Holds a configuration with its compiled form, and turns a write into the delta of one generation. A build
 * in CI, a start, a reload and a write take this one path; the result always equals that of a compile of the
 * whole.
 */

import { isDeepStrictEqual } from "node:util";
import type { Artifact, Delta } from "../../runtime/abi/generation.js";
import { type CredentialNames, namesIn } from "../2-validate/credential-names.js";
import { withoutDuplicates } from "../3-resolve/duplicates.js";
import { checkNewReferences } from "../3-resolve/route.js";
import { planSettings } from "../4-plan/plan-settings.js";
import type { UnchangedRoute } from "../4-plan/route-cache.js";
import type { LiteralSecret } from "../4-plan/secret.js";
import type { GeneratedModule } from "../5-emit/typescript.js";
import { Cache } from "../cache/cache.js";
import { adminErrorText } from "../diagnostics/admin-text.js";
import { DiagnosticCollector, TooManyErrors } from "../diagnostics/collector.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Change, CompileInput, Environment, StoredResource } from "../model/input.js";
import type { Plan } from "../model/plan.js";
import type { PlanSettings } from "../model/plan-settings.js";
import { kinds, type Resource, type ResourceName } from "../model/resource.js";
import { checkPlanPolicy } from "../policy/check.js";
import type { Policy } from "../policy/policy.js";
import { OutOfTimeError } from "../regex/analysis-cache.js";
import { namesOfAll, redactDiagnostics } from "../secrets/redact-diagnostics.js";
import { unsetSecrets } from "../secrets/unset-variables.js";
import { applyChanges } from "./apply.js";
import { checkAffected } from "./checked-by-policy.js";
import { deltaBetween } from "./delta.js";
import { type Frontend, readConfiguration, type Settings } from "./frontend.js";
import { Workspace, type WorkspaceOptions } from "./workspace.js";
import { concerning, endedAfter, MAX_ERRORS, sentBy } from "./write-report.js";

export interface CompilationOptions
  extends Pick<WorkspaceOptions, "target" | "routes" | "secretKey" | "now"> {
  /** A gateway runs the result: unset secrets are errors. */
  needsSecrets?: boolean;
  /** Reports advice at a load, but not at a reload or a start of a gateway. */
  advice?: boolean;
  /** Default: results of the last load or reload. */
  cache?: Cache | undefined;
}

/** Compiled change that waits for the decision of the two-phase publication. */
export interface Pending {
  diagnostics: Diagnostic[];
  /** Text of the admin API; "" without errors. */
  errorMessage: string;
  /** Undefined if there are errors; then there is nothing to commit. */
  delta: Delta | undefined;
  /** Literal secrets after the change, by their reference; not in the delta. */
  secrets: ReadonlyMap<string, string>;
  /** Resources deleted by force while others name them. The store keeps each with the value null. */
  absent: ResourceName[];
  /** Makes the change the base of the next one. */
  commit(): void;
  rollback(): void;
}

interface Read extends Settings {
  /** Diagnostics of all steps, without duplicates, sorted by location. */
  diagnostics: Diagnostic[];
  resources: Resource[];
  /** Literal secrets by the reference in the modules; in no other field. */
  secrets: ReadonlyMap<string, string>;
  /** Headers, arguments and variables that carry credentials, according to any resource. */
  credentialNames: CredentialNames;
}

export interface CompileResult extends Read {
  /** Undefined if there are errors, or unchanged routes without a plan. */
  plan: Plan | undefined;
  /** Undefined if there are errors. */
  artifact: Artifact | undefined;
  pluginSecrets: readonly LiteralSecret[];
  /** Sorted by module id; empty if there are errors. */
  modules: GeneratedModule[];
  /** Routes whose modules are in an earlier build, and not in `modules` and `artifact`; empty without a `RouteCache`. */
  unchanged: readonly UnchangedRoute[];
}

/** Pending reload, with its artifact unless the delta is all that changes. */
export type Reload = Pending & Read & Pick<CompileResult, "artifact">;

/** Inputs shared by all resources: if one changes, a reload recompiles everything. */
interface SharedInputs {
  settings: PlanSettings;
  context: Frontend["context"];
  absences: Frontend["absences"];
}

/** Configuration of files and store. At most one change is pending at a time. */
export class Compilation {
  readonly #options: CompilationOptions;
  readonly #cache: Cache;
  #environment: Environment = {};
  readonly #stored = new Map<string, StoredResource>();
  #workspace: Workspace;
  /** Errors that prevent a compile: writes are rejected until a load or reload succeeds. */
  #broken: Diagnostic[] = [];
  #pending = false;
  #whenRead: readonly Diagnostic[] = [];
  #ground: SharedInputs | undefined;
  #policy: Policy | undefined;

  constructor(options: CompilationOptions) {
    this.#options = options;
    this.#cache = options.cache ?? new Cache();
    this.#workspace = new Workspace(options);
  }

  load(input: CompileInput): CompileResult {
    const checked = this.check(input);
    const { state, journal } = this.#workspace;
    const whole = this.#ground && state.compiled(checked.plan);
    // Changes of a configuration with errors stay: a reload compares with all of it.
    if (whole) state.forgetChanges();
    journal.commit();
    return { ...checked, ...whole };
  }

  /** Loads up to the plan. Hashing and emitting finds no errors and takes a quarter of the time. No write follows. */
  check(input: CompileInput): CompileResult {
    this.#begin();
    this.#environment = input.environment;
    this.#stored.clear();
    for (const entry of input.stored ?? []) this.#stored.set(`${entry.kind}/${entry.id}`, entry);
    const findings = new DiagnosticCollector({ advice: this.#options.advice === true });
    const { workspace, ground, policy, read, shown, before: _, ...loaded } = this.#build(input, findings);
    this.#whenRead = read;
    this.#workspace = workspace;
    this.#ground = findings.hasErrors ? undefined : ground;
    this.#policy = policy;
    this.#pending = false;
    const diagnostics = shown(findings.sorted());
    this.#broken = findings.hasErrors ? diagnostics : [];
    const { state } = workspace;
    const plan = state.plan();
    return {
      ...{ ...loaded, diagnostics, secrets: state.secrets(), pluginSecrets: state.literals(plan) },
      ...{ plan: findings.hasErrors || !state.isPlanned ? undefined : plan, artifact: undefined },
      ...{ modules: [], unchanged: [] },
    };
  }

  /** Compiles all or none of the changes. @throws OutOfTimeError */
  write(changes: readonly Change[]): Pending {
    if (this.#broken.length > 0) return refusal(this.#broken);
    this.#begin();
    const workspace = this.#workspace;
    const findings = new DiagnosticCollector({ maxErrors: MAX_ERRORS });
    const rollback = () => {
      workspace.journal.rollback();
      workspace.state.forgetChanges();
      this.#pending = false;
    };
    let absent: Pending["absent"] = [];
    let ended = false;
    try {
      absent = this.#apply(changes, findings);
    } catch (error) {
      if (error instanceof OutOfTimeError) rollback();
      if (!(error instanceof TooManyErrors)) throw error;
      ended = true;
    }
    const sent = sentBy(changes);
    const names = namesIn(() => [...sent, ...this.#resources()].map(({ value }) => value));
    const diagnostics = redactDiagnostics(concerning(changes, findings.sorted()), { resources: sent, names });
    if (findings.hasErrors) {
      rollback();
      return refusal(ended ? endedAfter(diagnostics) : diagnostics);
    }
    const delta = workspace.state.takeDelta();
    const secrets = workspace.state.secrets();
    const commit = () => {
      workspace.resolver.forgetTexts(changes);
      workspace.journal.commit();
      for (const change of changes) this.#remember(change);
      for (const { kind, id } of absent) this.#stored.set(`${kind}/${id}`, { kind, id, value: null });
      this.#pending = false;
    };
    return { diagnostics, errorMessage: "", delta, secrets, absent, commit, rollback };
  }

  /** @throws OutOfTimeError, TooManyErrors */
  #apply(changes: readonly Change[], findings: DiagnosticCollector): Pending["absent"] {
    const workspace = this.#workspace;
    const { affected, absent } = applyChanges(workspace, changes, findings);
    for (const change of changes) {
      const written = "put" in change && workspace.inventory.get(change.put.kind, change.put.id);
      if (written) this.#checkSecrets(written, this.#environment, findings);
    }
    if (findings.hasErrors) return absent;
    workspace.compile(affected, findings);
    if (this.#policy) checkAffected(this.#policy, workspace, changes, affected, findings.report);
    workspace.checkTarget(affected, findings);
    workspace.resolver.reportCombinations(affected, findings);
    for (const id of affected.routes) if (isPut(changes, id)) workspace.resolver.reportShadows(id, findings);
    return absent;
  }

  /** Diagnostics as of a full check. Those of reading files and stored resources are of the last load or reload. */
  findings(): Diagnostic[] {
    const findings = new DiagnosticCollector();
    findings.addAll(this.#whenRead);
    this.#workspace.reportAll(findings);
    return redactDiagnostics(findings.sorted(), { resources: this.#resources() });
  }

  #resources(): Resource[] {
    const { inventory } = this.#workspace;
    return kinds().flatMap((kind) => [...inventory.all(kind).values()]);
  }

  get running(): Pick<Workspace, "inventory" | "places" | "state"> {
    return this.#workspace;
  }

  /** Settings on which the analysis of patterns depends. */
  get settings(): PlanSettings {
    return this.#workspace.settings;
  }

  /**
   * Reads the files again and keeps the stored resources. Rejected as a whole if the two do not fit.
   * @param without resources of the store that the files take over
   */
  reload(
    files: Pick<CompileInput, "sources" | "faults" | "built" | "policy"> &
      Partial<Pick<CompileInput, "environment">>,
    without: readonly ResourceName[] = [],
  ): Reload {
    const { environment = this.#environment } = files;
    this.#begin();
    const findings = new DiagnosticCollector({ advice: false });
    const { workspace, ground, policy, before, read, shown, ...loaded } = this.#build(
      { ...files, environment },
      findings,
      without,
    );
    for (const resource of loaded.resources) {
      const running = this.#workspace.inventory.get(resource.kind, resource.id);
      if (resource.from === "file" && !isDeepStrictEqual(running?.value, resource.value))
        checkNewReferences(resource, workspace.inventory, findings.report);
    }
    const rollback = () => {
      this.#pending = false;
    };
    const diagnostics = shown(findings.sorted());
    if (findings.hasErrors) {
      rollback();
      return { ...loaded, ...refusal(diagnostics), artifact: undefined };
    }
    const artifact = before && !files.built ? undefined : workspace.state.artifact();
    const delta = artifact
      ? deltaBetween(this.#workspace.state.artifact(), artifact)
      : workspace.state.takeDelta();
    const commit = () => {
      workspace.journal.commit();
      workspace.state.forgetChanges();
      this.#workspace = workspace;
      this.#whenRead = read;
      this.#ground = ground;
      this.#policy = policy;
      this.#environment = environment;
      for (const { kind, id } of without) this.#stored.delete(`${kind}/${id}`);
      this.#broken = [];
      this.#pending = false;
    };
    const secrets = workspace.state.secrets();
    const compiled = { diagnostics, errorMessage: "", artifact, delta, secrets, absent: [] };
    return { ...loaded, ...compiled, commit, rollback };
  }

  #build(
    files: Omit<CompileInput, "stored">,
    findings: DiagnosticCollector,
    without: readonly ResourceName[] = [],
  ): {
    workspace: Workspace;
    ground: SharedInputs;
    policy: Policy | undefined;
    before: Workspace | undefined;
    read: readonly Diagnostic[];
    shown(found: readonly Diagnostic[]): Diagnostic[];
  } & Omit<Read, "diagnostics" | "secrets"> {
    const gone = new Set(without.map(({ kind, id }) => `${kind}/${id}`));
    const stored = [...this.#stored].flatMap(([name, entry]) => (gone.has(name) ? [] : [entry]));
    const read = readConfiguration({ ...files, stored }, this.#cache);
    findings.addAll(read.diagnostics);
    const settings = planSettings(read.deployment, read.settled !== undefined);
    const ground = { settings, context: read.context, absences: read.absences };
    const comparable = !files.built && read.partial.length === 0 && isDeepStrictEqual(ground, this.#ground);
    const before = comparable ? this.#workspace : undefined;
    const sameValues = isDeepStrictEqual(files.environment, this.#environment);
    for (const resource of read.resources) {
      const passed = sameValues && before?.inventory.get(resource.kind, resource.id) === resource;
      if (!passed) this.#checkSecrets(resource, files.environment, findings);
    }
    const reusable = this.#workspace.state.modules;
    const { context, resources, documents } = read;
    const workspace = new Workspace({ ...this.#options, context, settings, reusable, before });
    workspace.resolver.fill(withoutDuplicates(resources, findings.report), read.absences, files.built);
    workspace.resolver.noteFormerPlaces(this.#workspace.inventory);
    const affected = workspace.compileAll(findings, read.partial);
    if (read.policy) checkPlanPolicy(read.policy, resources, workspace.state.planned(), findings.report);
    workspace.checkTarget(affected, findings);
    const all = { documents, resources: resources.filter(({ from }) => from !== "file") };
    const credentialNames = namesOfAll(all);
    const shown = (found: readonly Diagnostic[]) =>
      redactDiagnostics(found, { ...all, names: credentialNames });
    const { deployment, literalSecrets, environment, policy, diagnostics } = read;
    return {
      ...{ deployment, literalSecrets, environment, resources, credentialNames },
      ...{ workspace, ground, policy, before, read: diagnostics, shown },
    };
  }

  #checkSecrets(resource: Resource, environment: Environment, findings: DiagnosticCollector): void {
    if (this.#options.needsSecrets === true) findings.addAll(unsetSecrets(resource, environment));
  }

  /** @throws Error if the previous change is neither committed nor rolled back: a bug of the caller */
  #begin(): void {
    if (this.#pending) throw new Error("the change before is still under way");
    this.#pending = true;
  }

  #remember(change: Change): void {
    if ("put" in change) {
      const { kind, id } = change.put;
      const resource = this.#workspace.inventory.get(kind, id);
      this.#stored.set(`${kind}/${id}`, { kind, id, value: resource?.value });
    } else this.#stored.delete(`${change.remove.kind}/${change.remove.id}`);
  }
}

function refusal(diagnostics: Diagnostic[]): Pending {
  const nothing = () => {};
  const errorMessage = adminErrorText(diagnostics);
  const secrets = new Map<string, string>();
  return {
    diagnostics,
    errorMessage,
    delta: undefined,
    secrets,
    absent: [],
    commit: nothing,
    rollback: nothing,
  };
}

function isPut(changes: readonly Change[], route: string): boolean {
  return changes.some((change) => "put" in change && change.put.kind === "routes" && change.put.id === route);
}
