import type { Serving } from "../process/launch-plan.js";
import type { ControlCompiler } from "./compiler.js";
import type { LauncherSilence } from "./health.js";
import type { Origin } from "./launch-settings.js";
import type { Settings } from "./settings.js";
import type { StartStages } from "./start-stages.js";
import type { Keyring } from "./store/keyring.js";

/** What a control is started with. */
export interface ControlOptions {
  settings: Settings;
  origin: Origin;
  runDirectory: string;
  /** Null: nothing is kept (embedding, read-only builds). */
  storeDirectory: string | null;
  /** Where an admin key is kept that the gateway makes itself; default: the run directory. */
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
  /** What readiness tells of the launcher. */
  launcher?: () => LauncherSilence;
  /** What the launcher knows of who serves; absent or undefined: control's workers are all there is to know. */
  serving?: () => Serving | undefined;
  /** Workers are other processes, which may serve what ran last while the same is compiled. */
  serveEarly?: boolean;
  /** Told of each stage of the start. */
  stages?: StartStages;
  environment: Readonly<Record<string, string | undefined>>;
}
