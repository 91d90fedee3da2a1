import type { CompilerThread } from "../../compiler/thread/compiler-client.js";
import { CompilerDiedError, compilerFault } from "../abi/compiler-died-error.js";
import { StartError } from "../process/contribution.js";
import { log, printReport } from "../process/log.js";
import type { Source } from "./candidate.js";
import { type Configuration, Queue } from "./configuration.js";
import { policyReportOf, type StartOutcome, samePolicy } from "./first-generation.js";
import type { GenerationStore } from "./generation-store.js";
import { type Build, builtOrigin, type ConfigSource } from "./launch-settings.js";
import { namesOf, otherPluginFault } from "./plugin-bundles.js";
import { type Adopted, type Adoption, type Reloaded, rejectedReload } from "./reloaded.js";
import type { Settings } from "./settings.js";

export interface FilesParts {
  origin: ConfigSource;
  compiler: CompilerThread | null;
  configuration: Configuration;
  saved: GenerationStore;
  environment: Readonly<Record<string, string | undefined>>;
  apply: (settings: Settings) => void;
  /** Receives the inputs of an accepted reload and the digest of the policy that it satisfies. */
  compiledFrom: (inputs: string | undefined, policy: string | undefined) => void;
  reloaded?: (outcome: LastReload) => void;
}

export interface LastReload {
  ok: boolean;
  /** ISO 8601. */
  at: string;
  /** Reason why the previous configuration keeps running. */
  reason?: string;
}

/** Maximum length of a reason in `/status/ready`; the log has all of it. */
const REASON_CHARACTERS = 2_000;

export class ConfigurationFiles {
  readonly #parts: FilesParts;
  #stale: string | undefined;
  #outdated: string | undefined;
  #last: LastReload | undefined;
  readonly #takes = new Queue();

  constructor(parts: FilesParts) {
    this.#parts = parts;
  }

  began({ stale, outdated }: StartOutcome): void {
    this.#stale = stale;
    this.#outdated = outdated;
  }

  get stale(): string | undefined {
    return this.#stale;
  }

  get lastReload(): LastReload | undefined {
    return this.#last;
  }

  get readOnly(): string | undefined {
    const { origin, compiler } = this.#parts;
    if (!compiler) return "the configuration is read-only: the compiler is not installed";
    if (origin.kind === "dist" && !origin.writable) {
      return "the configuration is read-only: this gateway runs a build; start it with --writable to change it";
    }
    return this.#stale;
  }

  /** Reads files or build, and settings, again (SIGHUP). An invalid one is reported and changes nothing. */
  async reload(): Promise<boolean> {
    try {
      return await this.#reload();
    } catch (error) {
      if (!(error instanceof CompilerDiedError)) throw error;
      return this.#reloaded(rejectedReload(compilerFault(error)));
    }
  }

  async #reload(): Promise<boolean> {
    const { origin, configuration } = this.#parts;
    if (origin.kind === "dist") {
      const taken = await this.#forgetting(() => this.#takeBuild(origin));
      return taken !== "absent" && this.#reloaded(taken);
    }
    if (this.#outdated !== undefined) return this.#reloaded(rejectedReload(this.#outdated));
    const reloaded = await this.#forgetting(() => configuration.apply(this.#files(origin.paths)));
    return reloaded !== "absent" && this.#reloaded(reloaded);
  }

  /**
   * Applies files or a build while the stored inputs and policy of the running generation are cleared.
   * Otherwise, after a kill in the middle and a return of the old files, a start could take the new
   * generation for the old one. It could also run it as accepted by the old policy.
   */
  #forgetting(take: () => Promise<Adopted>): Promise<Adopted> {
    const { saved, compiledFrom } = this.#parts;
    return this.#takes.run(async () => {
      const { number, inputs, policy } = saved.content;
      compiledFrom(undefined, undefined);
      try {
        const taken = await take();
        if (taken === "absent" || !taken.ok) compiledFrom(inputs, policy);
        else compiledFrom(taken.inputs, taken.policy);
        return taken;
      } catch (error) {
        // The compiler died before anything was published.
        if (saved.content.number === number) compiledFrom(inputs, policy);
        throw error;
      }
    });
  }

  #files(paths: readonly string[]): Source {
    const { saved } = this.#parts;
    return { kind: "files", paths, ...(this.#stale !== undefined && { saved }) };
  }

  async #takeBuild(origin: Build, adopted: readonly Adoption[] = [], dryRun = false): Promise<Adopted> {
    const { configuration, saved, environment } = this.#parts;
    try {
      const built = builtOrigin(origin, environment);
      const { report, policy } = await policyReportOf(built, this.#parts.compiler);
      if (report !== "") return rejectedReload(report);
      const fault = otherPluginFault(saved.plugins, namesOf(built.bundles));
      if (fault !== undefined) return rejectedReload(fault);
      const taken = await configuration.apply({ kind: "dist", build: built, saved }, { adopted, dryRun });
      return taken === "absent" ? taken : { ...taken, policy: samePolicy(policy, taken.policy) };
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      return rejectedReload(error.message);
    }
  }

  /** Lets the files take over a resource of the store, as a reload if accepted. Returns the reason if not. */
  async adopt(name: Adoption, dryRun: boolean): Promise<Adopted> {
    const { origin, configuration } = this.#parts;
    if (origin.kind === "dist") {
      if (!origin.writable) return rejectedReload(this.readOnly ?? "");
      const takeBuild = () => this.#takeBuild(origin, [name], dryRun);
      const taken = dryRun ? await takeBuild() : await this.#forgetting(takeBuild);
      if (taken !== "absent" && taken.ok && !dryRun) this.#reloaded(taken);
      return taken;
    }
    // While the compiler does not know the running generation, files have no dry run and need the running plugins.
    if (this.#outdated !== undefined) return rejectedReload(this.#outdated);
    if (this.#stale !== undefined && dryRun) return rejectedReload(this.#stale);
    const take = () => configuration.apply(this.#files(origin.paths), { adopted: [name], dryRun });
    const adopted = dryRun ? await take() : await this.#forgetting(take);
    if (adopted !== "absent" && adopted.ok && !dryRun) this.#reloaded(adopted);
    return adopted;
  }

  #reloaded(reloaded: Reloaded): boolean {
    const { ok, reason } = reloaded;
    printReport(reloaded.report);
    const at = new Date().toISOString();
    this.#last = ok ? { ok, at } : { ok, at, reason: reason.slice(0, REASON_CHARACTERS) };
    this.#parts.reloaded?.(this.#last);
    if (reloaded.ok) {
      this.#stale = undefined;
      this.#parts.apply(reloaded.settings);
    }
    // Logged last: whoever reads it finds everything done.
    log(ok ? "reloaded" : "reload_refused", ok ? {} : { reason });
    return ok;
  }
}
