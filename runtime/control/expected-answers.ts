import { log } from "../process/log.js";
import type { ToControl } from "../process/messages.js";
import { type IsStarved, ProcessTimeout, starvationOf } from "../process/starvation.js";

/** Timeout in ms for a reply of a worker before it is replaced; `STARVED_FACTOR` times that if starved. */
const ANSWER_MS = 2_000;

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

/** Pending replies of workers to control; a worker that misses a deadline is replaced. */
export class ExpectedAnswers<Worker extends Debtor> {
  readonly #expectations = new Set<Expectation<Worker>>();
  readonly #forget: (worker: Worker) => void;
  readonly #starvationOf: (pid: number) => IsStarved;

  constructor(forget: (worker: Worker) => void, starvation: (pid: number) => IsStarved = starvationOf) {
    this.#forget = forget;
    this.#starvationOf = starvation;
  }

  /** Resolves with the first matching message, or if the worker is late or gone. Never rejects. */
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

/**
 * Reply of workers about a generation. `isUnjudged`: no worker has checked it. `exhausted`: no generation can
 * be loaded now; without a `worker` there was none to query.
 */
export type Prepared =
  | { ok: true; isUnjudged?: true }
  | { ok: false; worker?: number; reason: string; code?: string; exhausted?: boolean };

/** Combines replies: a rejected generation takes precedence over a worker that cannot load any. */
export function verdictOf(answers: readonly Prepared[], asked: "prepare" | "attempt"): Prepared {
  const refusals = answers.filter((answer) => !answer.ok);
  const refused = refusals.find(({ exhausted }) => !exhausted) ?? refusals[0];
  if (refused) return refused;
  if (answers.some((answer) => answer.ok && !answer.isUnjudged)) return { ok: true };
  if (asked === "prepare") return { ok: true, isUnjudged: true };
  return { ok: false, reason: "no worker serves the live generation", exhausted: true };
}
