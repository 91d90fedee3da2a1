import type { CompilerThread } from "../../compiler/thread/compiler-client.js";
import type { Serving } from "../process/launch-plan.js";
import type { StartStages } from "../process/starting.js";
import type { LauncherSilence } from "./health.js";
import type { ConfigSource } from "./launch-settings.js";
import type { Settings } from "./settings.js";
import type { Keyring } from "./store/keyring.js";

export interface ControlOptions {
  settings: Settings;
  origin: ConfigSource;
  runDirectory: string;
  /** Null if nothing is stored (embedding, read-only builds). */
  storeDirectory: string | null;
  /** Directory of an admin key that the gateway generates. Default: the run directory. */
  keyDirectory?: string;
  /** No spools if absent or null. */
  spoolDirectory?: string | null;
  compiler: CompilerThread | null;
  /** Default: those of the store and the settings. */
  keys?: Keyring;
  workers: number;
  replace: (pid: number) => void;
  /** Called for each write that the store rejects until control restarts. Absent if nothing restarts it. */
  storeFailed?: (isAsked: boolean) => void;
  launcher?: () => LauncherSilence;
  /** Serving processes as the launcher knows them; absent or undefined if control knows only its workers. */
  serving?: () => Serving | undefined;
  /** Workers are other processes, which may serve the last generation while it is compiled again. */
  serveEarly?: boolean;
  /** Called with the outcome of each reload; an accepted adoption is one. */
  reloaded?: (taken: boolean) => void;
  adjusted?: (read: Settings) => Settings;
  /** Receives the settings in force after a reload or a restart; the next control must start with them. */
  applied?: (settings: Settings) => void;
  /** An earlier control of this gateway has ended: compiled settings replace `settings`, as in a reload. */
  restarted?: boolean;
  stages?: StartStages;
  environment: Readonly<Record<string, string | undefined>>;
}
