/** How far a start has come, as `/status/ready` and the log tell it. Counts of the stage stand beside it. */
export interface Starting {
  stage: StartStage;
  /** Beginning of the stage, ISO 8601. */
  since: string;
  [count: string]: string | number;
}

/** In their order; one without work for it is left out. */
export type StartStage =
  /** The deployment settings are read, which name the listeners. */
  | "settings"
  /** Control's process starts. */
  | "control"
  /** The files of a build are compared with its manifest. */
  | "build"
  | "store"
  | "compiling"
  /** The generation is written to where workers load it from. */
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

/** A reason for `/status/ready`: `code` for programs, `message` for people. */
export function startingReason(starting: Starting): { code: string; message: string } {
  return { code: "starting", message: `starting: ${DOING[starting.stage]}`, ...starting };
}

/** The same as a warning, while requests are served all the same. */
export function controlMissing(starting: Starting): { code: string; message: string } {
  const { stage } = starting;
  const doing = stage === "control" ? "" : `: ${DOING[stage]}`;
  const message = `control starts${doing}; until it has, there is no admin API and nothing is changed`;
  return { code: "control_missing", message, ...starting };
}
