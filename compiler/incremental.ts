/**
 * What a change touches: the compiler's memory of the running configuration. It lives in control's compiler thread and
 * turns a write into the delta of one generation; the result is always what compiling everything again would give.
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

/** Errors of a write at which its check ends: the answer tells no more, and other writes wait. */
const MAX_ERRORS = 100;

/** A change that was compiled and waits for the decision of the two-phase publication. */
export interface Pending {
  diagnostics: Diagnostic[];
  /** `error_msg` of the admin API; "" without errors. */
  errorMessage: string;
  /** Undefined when there are errors; then there is nothing to commit. */
  delta: Delta | undefined;
  /** Values of the literal secrets after the change, by the reference that modules hold; apart from the delta. */
  secrets: ReadonlyMap<string, string>;
  /** Resources deleted by force while others name them: the store keeps each with the value null. */
  absent: { kind: Kind; id: string }[];
  /** Makes the change the base of the next one. */
  commit(): void;
  /** Forgets the change. */
  rollback(): void;
}

export interface Loaded {
  diagnostics: Diagnostic[];
  /** Undefined when there are errors. */
  artifact: Artifact | undefined;
  /** Values of the literal secrets, by the reference that modules hold; apart from the artifact. */
  secrets: ReadonlyMap<string, string>;
  deployment: Settings["deployment"];
  /** Of the files. */
  resources: readonly Resource[];
  /** Names that files and store give to what carries credentials. */
  credentialNames: CredentialNames;
}

/** What every resource is compiled with: where it is another, nothing compiled before holds. */
interface Ground {
  settings: PlanSettings;
  context: Frontend["context"];
  absences: Frontend["absences"];
}

/** Holds one configuration, from files and store, and its compiled form. One change at a time is under way. */
export class Compilation {
  readonly #secretKey: string | undefined;
  readonly #now: (() => number) | undefined;
  readonly #needsSecrets: boolean;
  readonly #target: EmitTarget<GeneratedModule>;
  #environment: CompileInput["environment"] = {};
  readonly #stored = new Map<string, StoredResource>();
  #workspace: Workspace;
  /** Findings that keep the whole from being compiled; writes are refused until a load or reload mends them. */
  #broken: Diagnostic[] = [];
  #pending = false;
  #whenRead: readonly Diagnostic[] = [];
  readonly #parts = new MemoryFileCache<FrontendPart>();
  /** What the workspace was compiled with, as far as that is not resources. */
  #ground: Ground | undefined;
  #policy: Policy | undefined;

  /**
   * @param secretKey as in `CompileInput`
   * @param now epoch seconds, asked at each load and write; without it nothing has expired
   * @param needsSecrets a gateway runs what is compiled: secrets that are not known are errors
   * @param target what modules are made by
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

  /** Compiles everything anew. */
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

  /**
   * Compiles what the changes touch: all of them or none.
   * @throws OutOfTimeError
   */
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

  /**
   * Applies the changes and compiles what they touch.
   * @throws OutOfTimeError, TooManyErrors
   */
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

  /** Where parts of what runs, or waits for its decision, stand. */
  get places(): SourceLocations {
    return this.#workspace.places;
  }

  /**
   * Findings of what runs, as a check of the whole would have them. What was found while files and stored
   * resources were read is that of the last load or reload.
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

  /** What runs, or waits for its decision. */
  get running(): Pick<Workspace, "inventory" | "places" | "state"> {
    return this.#workspace;
  }

  /** What the analysis of patterns depends on besides themselves. */
  get settings(): PlanSettings {
    return this.#workspace.settings;
  }

  /**
   * Takes the files anew and keeps what is stored; refused whole when the two do not fit.
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
    ground: Ground;
    policy: Policy | undefined;
    before: Workspace | undefined;
    /** Found while it was read. */
    read: readonly Diagnostic[];
    /** Without what is nobody's to see. */
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

  /** @throws Error when the change before is neither committed nor rolled back: a fault of the caller */
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

/** Findings that a start and a reload tell. */
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

/** Resources that the changes write, right or wrong. */
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

/** Errors, and those warnings that a changed resource has a part in: not each one of every route that it touches. */
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
      // Whom a forced delete leaves without what they name.
      (removes && finding.code === "GW3014") ||
      isWritten(finding.span?.file) ||
      finding.notes.some((note) => isWritten(note.span?.file)),
  );
}
