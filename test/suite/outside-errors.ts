import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule, Vitest } from "vitest/node";

/** Errors that vitest's reporter "json" leaves out. */
export interface OutsideErrors {
  /** Errors of no test: a worker that died, a rejection that nothing handled. */
  unhandled: string[];
  /** First error of a hook, by the path of its file. */
  hooks: Record<string, string>;
}

/** Path of these errors beside a report of the reporter "json". */
export const outsideFile = (json: string): string => json.replace(/\.json$/, ".outside.json");

/** Reporter of vitest that writes `OutsideErrors` beside the report of the reporter "json". */
export default class OutsideErrorsReporter implements Reporter {
  #vitest: Pick<Vitest, "config"> | undefined;

  onInit(vitest: Pick<Vitest, "config">): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const output = this.#vitest?.config.outputFile;
    if (typeof output !== "object" || output.json === undefined) return;
    const hooks: OutsideErrors["hooks"] = {};
    for (const module of modules) {
      const [error] = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
      if (error !== undefined) hooks[module.moduleId] = error.message;
    }
    const found: OutsideErrors = { unhandled: errors.map(textOf), hooks };
    writeFileSync(outsideFile(output.json), JSON.stringify(found));
  }
}

/** Its own message says only that a worker failed; the cause says how. */
function textOf({ message, cause, VITEST_TEST_PATH: path }: SerializedError): string {
  const why = typeof cause === "object" && cause !== null && "message" in cause ? `: ${cause.message}` : "";
  return `${typeof path === "string" ? `${path}: ` : ""}${message}${why}`;
}
