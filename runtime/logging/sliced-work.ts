import { type Steps, TimeSlice } from "../http/time-slice.js";

interface Waiting {
  readonly steps: Steps<unknown>;
  readonly done: (value: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** Maximum bytes of texts that wait for a time slice in a process; further ones are cut to the sync limit. */
const MAX_WAITING = 67_108_864;

/** Sliced work of a process, one piece after the other, so that work in progress stays in memory only briefly. */
const waiting: Waiting[] = [];
const turn = new TimeSlice();
let waitingBytes = 0;

export const hasRoom = (bytes: number): boolean => waitingBytes === 0 || waitingBytes + bytes <= MAX_WAITING;

/** Runs the steps a few at a time and yields the event loop in between. */
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
