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

/** Checks in the order in which one fault makes others: what is wrong with a module is why its exchanges were not tried. */
const CAUSES = ["package", "runtime", "schema", "generated modules", "planned twice", "cases"];

const rank = ({ check }: Outcome) => (CAUSES.indexOf(check) + CAUSES.length + 1) % (CAUSES.length + 1);

/**
 * What the terminal shows: a line for each check, and below it a line for each failure, as editors jump to them. What fails comes
 * first, the cause before what follows from it; what was said once is not said again.
 */
export function textOf(tested: Tested): string {
  const isFailed = ({ failures }: Outcome) => failures.length > 0;
  const failed = tested.outcomes.filter(isFailed).sort((a, b) => rank(a) - rank(b));
  const passed = tested.outcomes.filter((outcome) => !isFailed(outcome));
  const said = new Map<string, string>();
  const lines = [...failed, ...passed].flatMap(({ check, seen, failures }) => [
    `${failures.length === 0 ? "ok  " : "FAIL"} ${check}${seen === "" ? "" : `: ${seen}`}`,
    ...failures.map(({ file, line, message }) => {
      const place = `${file}${line === undefined ? "" : `:${line}`}`;
      const first = said.get(message);
      if (first === undefined) said.set(message, place);
      return `     ${place}: ${first === undefined ? message : `the same as at ${first}`}`;
    }),
  ]);
  const end =
    failed.length === 0 ? "passes" : `fails in ${failed.length} of ${tested.outcomes.length} checks`;
  // A package that does not load has no version.
  const whole = [tested.package, tested.version, end].filter((part) => part !== "");
  return `${lines.join("\n")}\n${whole.join(" ")}\n`;
}
