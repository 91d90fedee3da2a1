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
