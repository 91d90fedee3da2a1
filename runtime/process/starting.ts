import { log } from "./log.js";
/** Progress of a start in `/status/ready` and in the log, with counts of the stage. */
export interface Starting {
  stage: StartStage;
  /** Beginning of the stage, ISO 8601. */
  since: string;
  [count: string]: string | number;
}

/** Stages in their order; one without work is left out. */
export type StartStage =
  | "settings"
  | "control"
  /** Compares the files of a build with its manifest. */
  | "build"
  | "store"
  | "compiling"
  /** Writes the generation to the log that workers load it from. */
  | "publishing"
  | "workers"
  | "services";

const DOING: Readonly<Record<StartStage, string>> = {
  settings: "reading the deployment settings",
  control: "starting control",
  build: "verifying the build",
  store: "opening the store",
  compiling: "compiling the configuration",
  publishing: "writing the generation",
  workers: "waiting for the workers",
  services: "waiting for the services",
};

export function startingAt(stage: StartStage, counts: Readonly<Record<string, number>> = {}): Starting {
  return { stage, since: new Date().toISOString(), ...counts };
}

/** Returns a reason for `/status/ready`: `code` for programs, `message` for people. */
export function startingReason(starting: Starting): { code: string; message: string } {
  return { code: "starting", message: `starting: ${DOING[starting.stage]}`, ...starting };
}

/** Returns it as a warning, while requests are served nevertheless. */
export function controlMissing(starting: Starting): { code: string; message: string } {
  const { stage } = starting;
  const doing = stage === "control" ? "" : `: ${DOING[stage]}`;
  const message = `control starts${doing}; until then, there is no admin API and no change is possible`;
  return { code: "control_missing", message, ...starting };
}

/** Stages of a start, each logged and shown by readiness until the gateway is ready. */
export class StartStages {
  #current: Starting | undefined;
  #begun = 0;
  readonly #onStage: (starting: Starting) => void;

  constructor(told: (starting: Starting) => void) {
    this.#onStage = told;
  }

  /** Current stage; undefined before the first and after the last. */
  get current(): Starting | undefined {
    return this.#current;
  }

  enter(stage: StartStage, counts: Readonly<Record<string, number>> = {}): void {
    const before = this.#current && { after: this.#current.stage, after_ms: this.#elapsed() };
    this.#begun = performance.now();
    this.#current = startingAt(stage, counts);
    log("start_stage", { stage, ...counts, ...before });
    this.#onStage(this.#current);
  }

  end(): void {
    this.#current = undefined;
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#begun);
  }
}
