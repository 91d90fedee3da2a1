/** Something that is wrong, and where. */
export interface Failure {
  /** Relative to the package. */
  file: string;
  line?: number | undefined;
  message: string;
}

/** What became of one check. */
export interface Outcome {
  check: string;
  /** What it looked at: `3 cases, 5 exchanges`. */
  seen: string;
  failures: Failure[];
}

export interface Tested {
  package: string;
  version: string;
  plugin: string | undefined;
  outcomes: Outcome[];
}

export const hasFailed = ({ outcomes }: Tested): boolean =>
  outcomes.some(({ failures }) => failures.length > 0);

/** What the terminal shows: a line for each check, and below it a line for each failure, as editors jump to them. */
export function textOf(tested: Tested): string {
  const lines = tested.outcomes.flatMap(({ check, seen, failures }) => [
    `${failures.length === 0 ? "ok  " : "FAIL"} ${check}${seen === "" ? "" : `: ${seen}`}`,
    ...failures.map(
      ({ file, line, message }) => `     ${file}${line === undefined ? "" : `:${line}`}: ${message}`,
    ),
  ]);
  const failed = tested.outcomes.filter(({ failures }) => failures.length > 0).length;
  const end = failed === 0 ? "passes" : `fails in ${failed} of ${tested.outcomes.length} checks`;
  return `${lines.join("\n")}\n${tested.package} ${tested.version} ${end}\n`;
}
