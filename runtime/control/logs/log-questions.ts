import type { LogsReport } from "../../process/logs-report.js";
import type { ToControl, ToWorker } from "../../process/messages.js";

export interface LogWorker {
  readonly index: number;
  readonly link: { send(message: ToWorker): void };
}

export class LogQuestions {
  readonly #workers: () => readonly LogWorker[];
  readonly #waiting = new Map<number, { left: Set<number>; reports: LogsReport[]; settle: () => void }>();
  #number = 0;

  constructor(workers: () => readonly LogWorker[]) {
    this.#workers = workers;
  }

  /** Returns the reports before the timeout. One worker alone reports the modules of each destination. */
  async ask(deadlineMs: number): Promise<LogsReport[]> {
    const workers = this.#workers();
    const number = ++this.#number;
    const reports: LogsReport[] = [];
    if (workers.length === 0) return reports;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, deadlineMs);
      const settle = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.set(number, { left: new Set(workers.map(({ index }) => index)), reports, settle });
      for (const [at, { link }] of workers.entries()) link.send({ type: "logs", number, users: at === 0 });
    });
    this.#waiting.delete(number);
    return reports;
  }

  answered(index: number, { number, report }: ToControl & { type: "logs" }): void {
    const asked = this.#waiting.get(number);
    if (!asked?.left.delete(index)) return;
    asked.reports.push(report);
    if (asked.left.size === 0) asked.settle();
  }
}
