import { log } from "../process/log.js";
import type { ToControl } from "../process/messages.js";
import { type IsStarved, ProcessTimeout, starvationOf } from "../process/starvation.js";

/** Time a worker has for an answer before it is replaced, in ms; a starved one has `STARVED_FACTOR` times as long. */
const ANSWER_MS = 2_000;

/** A worker that owes an answer. */
export interface Debtor {
  readonly index: number;
  readonly pid: number;
  readonly link: { replace(): void };
}

export type ExpectedAnswer = ToControl | "late" | "gone";

interface Expectation<Worker> {
  worker: Worker;
  isMet: (message: ToControl) => boolean;
  settle: (message: ExpectedAnswer) => void;
}

/** Answers that workers owe control; a worker that is late with one is replaced. */
export class ExpectedAnswers<Worker extends Debtor> {
  readonly #expectations = new Set<Expectation<Worker>>();
  readonly #forget: (worker: Worker) => void;
  readonly #starvationOf: (pid: number) => IsStarved;

  /** @param forget called before a late worker is replaced */
  constructor(forget: (worker: Worker) => void, starvation: (pid: number) => IsStarved = starvationOf) {
    this.#forget = forget;
    this.#starvationOf = starvation;
  }

  /**
   * Resolves with the first message that meets `isMet`, or when the worker is late or gone. Never rejects.
   * @param moreMs that it has beyond the usual time
   */
  expect(worker: Worker, isMet: (message: ToControl) => boolean, moreMs = 0): Promise<ExpectedAnswer> {
    return new Promise((resolve) => {
      const settle = (message: ExpectedAnswer) => {
        timeout.stop();
        this.#expectations.delete(expectation);
        resolve(message);
      };
      const expectation: Expectation<Worker> = { worker, isMet, settle };
      const timeout = new ProcessTimeout(ANSWER_MS + moreMs, this.#starvationOf(worker.pid), (silentMs) => {
        settle("late");
        const { index, pid, link } = worker;
        log("worker_late", { worker: index, pid_replaced: pid, silent_ms: silentMs });
        this.#forget(worker);
        link.replace();
      });
      this.#expectations.add(expectation);
    });
  }

  heard(worker: Worker, message: ToControl): void {
    for (const expectation of this.#expectations)
      if (expectation.worker === worker && expectation.isMet(message)) expectation.settle(message);
  }

  gone(worker: Worker): void {
    for (const expectation of this.#expectations)
      if (expectation.worker === worker) expectation.settle("gone");
  }
}
