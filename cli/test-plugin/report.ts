export interface Failure {
  /** Relative to the package. */
  file: string;
  line?: number | undefined;
  message: string;
}

export interface Outcome {
  check: string;
  /** Extent of the check: `3 cases, 5 exchanges`. */
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

/** Checks in the order of cause and effect: an invalid module is the reason why its exchanges did not run. */
const CAUSES = ["package", "runtime", "schema", "generated modules", "planned twice", "cases"];

const rank = ({ check }: Outcome) => (CAUSES.indexOf(check) + CAUSES.length + 1) % (CAUSES.length + 1);

/**
 * Prints failures in the form that editors link. Failed checks come first, causes before their effects. A
 * repeated message is replaced by a reference to the first.
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
      return `     ${place}: ${first === undefined ? message : `same as at ${first}`}`;
    }),
  ]);
  const end =
    failed.length === 0 ? "passes" : `fails in ${failed.length} of ${tested.outcomes.length} checks`;
  // A package that does not load has no version.
  const whole = [tested.package, tested.version, end].filter((part) => part !== "");
  return `${lines.join("\n")}\n${whole.join(" ")}\n`;
}
