import { log, printReport } from "../process/log.js";
import type { ControlCompiler } from "./compiler.js";
import type { Adopted, Configuration, Reloaded, ResourceName } from "./configuration.js";
import type { StartOutcome } from "./first-generation.js";
import type { Origin } from "./launch-settings.js";
import type { SavedGenerations } from "./saved-generations.js";
import { type Settings, settingsOf } from "./settings.js";

export interface FilesParts {
  origin: Origin;
  compiler: ControlCompiler | null;
  configuration: Configuration;
  saved: SavedGenerations;
  environment: Readonly<Record<string, string | undefined>>;
  /** Takes the settings of files that were read again. */
  apply: (settings: Settings) => void;
}

/** The files of the configuration, or the build in their place, while the gateway runs. */
export class ConfigurationFiles {
  readonly #parts: FilesParts;
  #stale: string | undefined;
  #outdated: string | undefined;

  constructor(parts: FilesParts) {
    this.#parts = parts;
  }

  /** Takes what the start came to. */
  began({ stale, outdated }: StartOutcome): void {
    this.#stale = stale;
    this.#outdated = outdated;
  }

  /** Why what runs is not what is configured, or undefined. */
  get stale(): string | undefined {
    return this.#stale;
  }

  /** Why the admin API cannot write beside them, or undefined. */
  get readOnly(): string | undefined {
    const { origin, compiler } = this.#parts;
    if (!compiler) return "the configuration is read-only here: the compiler is not installed";
    if (origin.kind === "dist" && !origin.writable) {
      return "the configuration is read-only: this gateway runs a build, start it with --writable to change it";
    }
    return this.#stale;
  }

  /** Reads files and settings again (SIGHUP). What does not compile changes nothing and is reported. */
  async reload(): Promise<boolean> {
    const { origin, compiler, configuration, saved } = this.#parts;
    if (origin.kind === "dist" || !compiler) return true;
    if (this.#outdated !== undefined) return this.#reloaded(refused(this.#outdated), origin.directory);
    const reloaded =
      this.#stale === undefined
        ? await configuration.reload(origin.paths)
        : await configuration.recover(origin.paths, saved);
    return this.#reloaded(reloaded, origin.directory);
  }

  /** Lets the files take over a resource of the store. */
  async adopt(name: ResourceName, dryRun: boolean): Promise<Adopted> {
    const { origin, configuration } = this.#parts;
    if (origin.kind === "dist") return "absent";
    const saved = this.#stale === undefined ? undefined : this.#parts.saved;
    if (this.#outdated !== undefined) return refused(this.#outdated);
    if (saved && dryRun) return refused(this.#stale ?? "");
    const adopted = await configuration.adopt(origin.paths, name, saved, dryRun);
    if (adopted !== "absent" && !dryRun) this.#reloaded(adopted, origin.directory);
    return adopted;
  }

  #reloaded({ ok, reason, report, deployment }: Reloaded, directory: string): boolean {
    printReport(report);
    log(ok ? "reloaded" : "reload_refused", ok ? {} : { reason });
    if (!ok) return false;
    this.#stale = undefined;
    this.#parts.apply(settingsOf(deployment, directory, this.#parts.environment));
    return true;
  }
}

/** While the compiler does not know what runs, files cannot be tried without being taken, and need the plugins that run. */
function refused(reason: string): Reloaded {
  return { ok: false, reason, report: "", diagnostics: [], deployment: null };
}
