/** Time slice in ms before requests continue. */
const TURN = 4;

export async function runInSlices<T>(steps: Generator<undefined, T>): Promise<T> {
  for (let turn = performance.now(); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - turn < TURN) continue;
    await new Promise(setImmediate);
    turn = performance.now();
  }
}
