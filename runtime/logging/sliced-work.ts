import { TimeSlice } from "../http/time-slice.js";

/** Work in steps of about a millisecond; whoever runs them decides what comes between two. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** All steps in a row, for what is short. */
export function runToCompletion<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

interface Waiting {
  readonly steps: Steps<unknown>;
  readonly done: (value: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** Bytes of texts that may wait for their turns in a process; what comes beyond is cut to what can be done at once. */
const MAX_WAITING = 67_108_864;

/** All work of a process that is done in turns, one piece after the other: what is begun should not lie in memory for long. */
const waiting: Waiting[] = [];
const turn = new TimeSlice();
let waitingBytes = 0;

export const hasRoom = (bytes: number): boolean => waitingBytes === 0 || waitingBytes + bytes <= MAX_WAITING;

/** Runs the steps a few at a time, with everything else that the process has to do between them. */
export function runInSlices<T>(steps: Steps<T>, bytes: number): Promise<T> {
  waitingBytes += bytes;
  const ended = new Promise<T>((resolve, reject) => {
    waiting.push({ steps, done: resolve as (value: unknown) => void, failed: reject });
  });
  if (waiting.length === 1) turn.next(goOn);
  return ended.finally(() => {
    waitingBytes -= bytes;
  });
}

function goOn(): void {
  for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
    if (turn.over) {
      turn.next(goOn);
      return;
    }
    const { steps, done, failed } = first;
    try {
      const step = turn.take(() => steps.next());
      if (!step.done) continue;
      done(step.value);
    } catch (error) {
      failed(error);
    }
    waiting.shift();
  }
}
