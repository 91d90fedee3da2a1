import { type Profiler, Session } from "node:inspector";

export type Counts = (offset: number) => number;

/** Counts the executed blocks of modules with V8's coverage, which needs no change of the modules. */
export class ExecutedCode {
  readonly #session = new Session();

  start(): void {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Counts since the start by file name; a module that was loaded several times has the sum. */
  stop(): Map<string, Counts> {
    const loads = new Map<string, Profiler.FunctionCoverage[][]>();
    this.#session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error !== null) throw error;
      for (const { url, functions } of taken.result)
        if (!url.includes(":")) loads.set(url, [...(loads.get(url) ?? []), functions]);
    });
    this.#session.disconnect();
    return new Map(
      [...loads].map(([url, all]): [string, Counts] => [
        url,
        (offset) => all.reduce((sum, functions) => sum + countAt(functions, offset), 0),
      ]),
    );
  }
}

/** Count of the innermost block. */
function countAt(functions: readonly Profiler.FunctionCoverage[], offset: number): number {
  let count = 0;
  let length = Number.POSITIVE_INFINITY;
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count: own } of ranges) {
      const isInside = startOffset <= offset && offset < endOffset;
      if (!isInside || endOffset - startOffset >= length) continue;
      length = endOffset - startOffset;
      count = own;
    }
  return count;
}
