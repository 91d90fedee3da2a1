/** Milliseconds of work before requests get their turn. */
const TURN = 4;

/** Does work step by step; between steps it yields now and then, so that requests go on. */
export async function runInSlices<T>(steps: Generator<undefined, T>): Promise<T> {
  for (let turn = performance.now(); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - turn < TURN) continue;
    await new Promise(setImmediate);
    turn = performance.now();
  }
}
