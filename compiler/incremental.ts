/**
 * Incremental compiler: holds the running configuration in control's compiler thread and turns a write into
 * the delta of one generation. The result always equals a full compile.
 */
import { isDeepStrictEqual } from "node:util";
import type { Artifact, Delta } from "../runtime/abi/generation.js";
import { DiagnosticCollector, TooManyErrors } from "./diagnostics/collector.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { type GeneratedModule, typescript } from "./emit/typescript.js";
import type { EmitTarget } from "./emit-target.js";
import { type Frontend, type FrontendPart, readConfiguration, type Settings } from "./frontend.js";
import { applyChanges } from "./incremental/apply.js";
import { deltaBetween } from "./incremental/delta.js";
import { MemoryFileCache } from "./incremental/memory-file-cache.js";
import { Workspace } from "./incremental/workspace.js";
import type { Change, CompileInput, StoredResource } from "./input.js";
import { type PlanSettings, planSettings } from "./plan/plan-settings.js";
import type { SourceLocations } from "./plan/source-locations.js";
import { checkAffected } from "./policy/affected.js";
import { checkPlanPolicy } from "./policy/plan-policy.js";
import type { Policy } from "./policy/policy.js";
import { namesOfAll, redactDiagnostics } from "./redact-diagnostics.js";
import { OutOfTimeError } from "./regex/analysis-cache.js";
import { adminErrorText } from "./resolve/admin-text.js";
import { withoutDuplicates } from "./resolve/duplicates.js";
import { adminPath, type Kind, kinds, type Resource } from "./resolve/resource.js";
import { checkNewReferences } from "./resolve/route.js";
import { unsetSecrets } from "./unset-secrets.js";
import { type CredentialNames, namesIn } from "./validate/credential-names.js";

/** Maximum errors of a write. The check ends there: the response shows no more, and other writes wait. */
const MAX_ERRORS = 100;

/** Compiled change that waits for the decision of the two-phase publication. */
export interface Pending {
  diagnostics: Diagnostic[];
  /** `error_msg` of the admin API; "" without errors. */
  errorMessage: string;
  /** Undefined if there are errors; then there is nothing to commit. */
  delta: Delta | undefined;
  /** Values of the literal secrets after the change, by their reference; not in the delta. */
  secrets: ReadonlyMap<string, string>;
  /** Resources deleted by force while others name them. The store keeps each with the value null. */
  absent: { kind: Kind; id: string }[];
  /** Makes the change the base of the next one. */
  commit(): void;
  rollback(): void;
}

export interface Loaded {
  diagnostics: Diagnostic[];
  /** Undefined if there are errors. */
  artifact: Artifact | undefined;
  /** Values of the literal secrets, by the reference in the modules. The artifact does not contain them. */
  secrets: ReadonlyMap<string, string>;
  deployment: Settings["deployment"];
  /** Resources of the files. */
  resources: readonly Resource[];
  /** Names of headers, arguments and variables that carry credentials, according to files and store. */
  credentialNames: CredentialNames;
}

/** Inputs shared by all resources. If one of them changes, a reload recompiles everything. */
interface SharedInputs {
  settings: PlanSettings;
  context: Frontend["context"];
  absences: Frontend["absences"];
}

/** Configuration from files and store with its compiled form. At most one change is pending at a time. */
export class Compilation {
  readonly #secretKey: string | undefined;
  readonly #now: (() => number) | undefined;
  readonly #needsSecrets: boolean;
  readonly #target: EmitTarget<GeneratedModule>;
  #environment: CompileInput["environment"] = {};
  readonly #stored = new Map<string, StoredResource>();
  #workspace: Workspace;
  /** Errors that prevent a compile. Writes are rejected until a load or reload succeeds. */
  #broken: Diagnostic[] = [];
  #pending = false;
  #whenRead: readonly Diagnostic[] = [];
  readonly #parts = new MemoryFileCache<FrontendPart>();
  /** Inputs of the workspace that are not resources. */
  #ground: SharedInputs | undefined;
  #policy: Policy | undefined;

  /**
   * @param secretKey as in `CompileInput`
   * @param now epoch seconds, read at each load and write; without it nothing expires
   * @param needsSecrets true for a gateway that runs the result: unset secrets are errors
   * @param target output format of the modules
   */
  constructor(
    secretKey?: string,
    now?: () => number,
    needsSecrets = false,
    target: EmitTarget<GeneratedModule> = typescript,
  ) {
    this.#secretKey = secretKey;
    this.#now = now;
    this.#needsSecrets = needsSecrets;
    this.#target = target;
    this.#workspace = new Workspace(undefined, { target });
  }

  /** Loads a configuration in place of the current one. */
  load(input: CompileInput): Loaded {
    this.#begin();
    this.#environment = input.environment;
    this.#stored.clear();
    for (const entry of input.stored ?? []) this.#stored.set(`${entry.kind}/${entry.id}`, entry);
    const findings = withoutAdvice();
    const { workspace, ground, policy, read, shown, ...loaded } = this.#build(input, findings);
    this.#whenRead = read;
    workspace.journal.commit();
    workspace.state.takeDelta();
    this.#workspace = workspace;
    this.#ground = findings.hasErrors ? undefined : ground;
    this.#policy = policy;
    this.#pending = false;
    const diagnostics = shown(findings.sorted());
    this.#broken = findings.hasErrors ? diagnostics : [];
    const artifact = findings.hasErrors ? undefined : workspace.state.artifact();
    return { ...loaded, diagnostics, artifact, secrets: workspace.state.secrets() };
  }

  /** Compiles the affected resources of the changes: all or none. @throws OutOfTimeError */
  write(changes: readonly Change[]): Pending {
    if (this.#broken.length > 0) return refusal(this.#broken);
    this.#begin();
    const workspace = this.#workspace;
    const findings = new DiagnosticCollector({ maxErrors: MAX_ERRORS });
    const rollback = () => {
      workspace.journal.rollback();
      workspace.state.takeDelta();
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
      workspace.forgetTexts(changes);
      workspace.journal.commit();
      for (const change of changes) this.#remember(change);
      for (const { kind, id } of absent) this.#stored.set(`${kind}/${id}`, { kind, id, value: null });
      this.#pending = false;
    };
    return { diagnostics, errorMessage: "", delta, secrets, absent, commit, rollback };
  }

  /** Applies the changes and compiles the affected resources. @throws OutOfTimeError, TooManyErrors */
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
    workspace.reportCombinations(affected, findings);
    for (const id of affected.routes) if (isPut(changes, id)) workspace.reportShadows(id, findings);
    return absent;
  }

  /** Source locations of the running configuration, or of the pending one. */
  get places(): SourceLocations {
    return this.#workspace.places;
  }

  /**
   * Diagnostics of the running configuration, as a full check would report them. Diagnostics of reading files
   * and stored resources are those of the last load or reload.
   */
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

  /** State of the running configuration, or of the pending one. */
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
    without: readonly { kind: Kind; id: string }[] = [],
  ): Pending & Omit<Loaded, "secrets"> {
    const { environment = this.#environment } = files;
    this.#begin();
    const findings = withoutAdvice();
    const { workspace, ground, policy, before, read, shown, ...loaded } = this.#build(
      { ...files, environment },
      findings,
      without,
    );
    for (const resource of loaded.resources)
      if (
        !isDeepStrictEqual(this.#workspace.inventory.get(resource.kind, resource.id)?.value, resource.value)
      )
        checkNewReferences(resource, workspace.inventory, findings.report);
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
      workspace.state.takeDelta();
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
    without: readonly { kind: Kind; id: string }[] = [],
  ): {
    workspace: Workspace;
    ground: SharedInputs;
    policy: Policy | undefined;
    before: Workspace | undefined;
    /** Diagnostics of parsing and validation. */
    read: readonly Diagnostic[];
    /** Redacts diagnostics. */
    shown(found: readonly Diagnostic[]): Diagnostic[];
  } & Omit<Loaded, "diagnostics" | "artifact" | "secrets"> {
    const gone = new Set(without.map(({ kind, id }) => `${kind}/${id}`));
    const stored = [...this.#stored].flatMap(([name, entry]) => (gone.has(name) ? [] : [entry]));
    const read = readConfiguration({ ...files, stored }, this.#parts);
    findings.addAll(read.diagnostics);
    const secretKey = this.#secretKey;
    const now = this.#now;
    const reusable = this.#workspace.state.modules;
    const settings = planSettings(read.deployment, read.settled !== undefined);
    const target = this.#target;
    const ground = { settings, context: read.context, absences: read.absences };
    const comparable = !files.built && read.partial.length === 0 && isDeepStrictEqual(ground, this.#ground);
    const before = comparable ? this.#workspace : undefined;
    const sameValues = isDeepStrictEqual(files.environment, this.#environment);
    for (const resource of read.resources) {
      const passed = sameValues && before?.inventory.get(resource.kind, resource.id) === resource;
      if (!passed) this.#checkSecrets(resource, files.environment, findings);
    }
    const workspace = new Workspace(read.context, { reusable, secretKey, now, settings, target, before });
    workspace.fill(withoutDuplicates(read.resources, findings.report), read.absences, files.built);
    workspace.noteFormerPlaces(this.#workspace.inventory);
    workspace.compileAll(findings, read.partial);
    if (read.policy) checkPlanPolicy(read.policy, read.resources, workspace.state.planned(), findings.report);
    const resources = read.resources.filter(({ from }) => from === "file");
    const whole = { workspace, ground, policy: read.policy, before, deployment: read.deployment };
    const all = { documents: read.documents, resources: read.resources.filter((one) => one.from !== "file") };
    const credentialNames = namesOfAll(all);
    const shown = (found: readonly Diagnostic[]) =>
      redactDiagnostics(found, { ...all, names: credentialNames });
    return { ...whole, resources, read: read.diagnostics, shown, credentialNames };
  }

  #checkSecrets(
    resource: Resource,
    environment: CompileInput["environment"],
    findings: DiagnosticCollector,
  ): void {
    if (this.#needsSecrets) findings.addAll(unsetSecrets(resource, environment));
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

/** Collector for a start or a reload, which report no advice. */
const withoutAdvice = (): DiagnosticCollector => new DiagnosticCollector({ advice: false });

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

/** Resources that the changes write, valid or not. */
function sentBy(changes: readonly Change[]): { kind: Kind; value: unknown }[] {
  return changes.flatMap((change) => {
    if (!("put" in change)) return [];
    const { kind, text } = change.put;
    try {
      return [{ kind, value: JSON.parse(text) as unknown }];
    } catch {
      return [];
    }
  });
}

/** @param diagnostics sorted, with an error */
function endedAfter(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const last = diagnostics.findLastIndex(({ severity }) => severity === "error");
  const note = { message: `the check ended at the ${MAX_ERRORS}th error` };
  return diagnostics.map((one, index) => (index === last ? { ...one, notes: [...one.notes, note] } : one));
}

function isPut(changes: readonly Change[], route: string): boolean {
  return changes.some((change) => "put" in change && change.put.kind === "routes" && change.put.id === route);
}

/** Errors, and warnings that name a changed resource: not all warnings of every affected route. */
function concerning(changes: readonly Change[], findings: readonly Diagnostic[]): Diagnostic[] {
  const written = changes.map((change) => {
    const { kind, id } = "put" in change ? change.put : change.remove;
    return ` /gw/admin/${adminPath(kind)}/${id}`;
  });
  const removes = changes.some((change) => "remove" in change);
  const isWritten = (file: string | undefined) => written.some((name) => file?.endsWith(name));
  return findings.filter(
    (finding) =>
      finding.severity === "error" ||
      // Resources whose references a forced delete breaks.
      (removes && finding.code === "GW3014") ||
      isWritten(finding.span?.file) ||
      finding.notes.some((note) => isWritten(note.span?.file)),
  );
}
