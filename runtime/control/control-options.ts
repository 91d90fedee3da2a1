import type { Serving } from "../process/launch-plan.js";
import type { ControlCompiler } from "./compiler.js";
import type { LauncherSilence } from "./health.js";
import type { ConfigSource } from "./launch-settings.js";
import type { Settings } from "./settings.js";
import type { StartStages } from "./start-stages.js";
import type { Keyring } from "./store/keyring.js";

/** Parts that a control is started with. */
export interface ControlOptions {
  settings: Settings;
  origin: ConfigSource;
  runDirectory: string;
  /** Null: nothing is kept (embedding, read-only builds). */
  storeDirectory: string | null;
  /** Directory of an admin key that the gateway makes itself. Default: the run directory. */
  keyDirectory?: string;
  /** Absent or null: no spools are kept. */
  spoolDirectory?: string | null;
  /** Null: not installed here. */
  compiler: ControlCompiler | null;
  /** Default: those of the store and the settings. */
  keys?: Keyring;
  /** Workers that make the gateway ready. */
  workers: number;
  /** Ends a worker process. */
  replace: (pid: number) => void;
  /** Told of each write that the store takes no more until control is started again. Absent: nobody starts it again. */
  storeFailed?: (isAsked: boolean) => void;
  /** Silence of the launcher, for readiness. */
  launcher?: () => LauncherSilence;
  /** Processes that serve, as the launcher knows them; absent or undefined: control's workers are all there is to know. */
  serving?: () => Serving | undefined;
  /** Workers are other processes, which may serve what ran last while the same is compiled. */
  serveEarly?: boolean;
  /** Told how each reload ends; an adoption that is taken is one. */
  reloaded?: (taken: boolean) => void;
  /** Changes settings that a reload has read. Default: they are taken as they are. */
  adjusted?: (read: Settings) => Settings;
  /** Told which settings a reload, or a start after another control, has left in force: another control is to start with these. */
  applied?: (settings: Settings) => void;
  /** An earlier control of this gateway has ended: the settings of what is compiled now take the place of `settings`, as at a reload. */
  restarted?: boolean;
  /** Told of each stage of the start. */
  stages?: StartStages;
  environment: Readonly<Record<string, string | undefined>>;
}
