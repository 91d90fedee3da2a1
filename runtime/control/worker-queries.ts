interface Query<Worker, Answer> {
  missing: Set<Worker>;
  answers: Answer[];
  settle: () => void;
}

/** Queries to several workers, each with a number that the replies repeat. */
export class WorkerQueries<Worker, Answer = void> {
  readonly #pending = new Map<number, Query<Worker, Answer>>();
  #number = 0;

  /** Resolves once no reply is missing, or after the timeout. @returns the replies until then */
  async ask(
    workers: readonly Worker[],
    timeoutMs: number,
    send: (worker: Worker, number: number) => void,
  ): Promise<Answer[]> {
    if (workers.length === 0) return [];
    const number = ++this.#number;
    const answers: Answer[] = [];
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      const settle = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#pending.set(number, { missing: new Set(workers), answers, settle });
      for (const worker of workers) send(worker, number);
    });
    this.#pending.delete(number);
    return answers;
  }

  /** Ignores late replies, and those of a worker that was not asked. */
  answered(worker: Worker, number: number, answer: Answer): void {
    const query = this.#pending.get(number);
    if (!query?.missing.delete(worker)) return;
    query.answers.push(answer);
    if (query.missing.size === 0) query.settle();
  }

  /** Waits no longer for a worker that has ended. */
  left(worker: Worker): void {
    for (const { missing, settle } of this.#pending.values())
      if (missing.delete(worker) && missing.size === 0) settle();
  }
}
