import type {
  PatienceAnswer,
  PatienceRequest,
  PowAnswer,
  PowChallenge,
  TaskTrail,
  TokenAnswer,
} from "../../service/protocol.js";
import { CallError, repeated } from "../shared/faults.js";

/** Automatic retries with an overloaded service. */
const PATIENCE = 4;

/** Tests inject others. */
export interface PatienceParts {
  session: string;
  /** @throws CallError */
  patience(request: PatienceRequest): Promise<PatienceAnswer>;
  /** @throws CallError */
  solve(challenge: PowChallenge): Promise<PowAnswer>;
  /** Monotonic ms. */
  now(): number;
  after(ms: number, call: () => void): () => void;
}

export interface PatienceProgress {
  /** Remaining seconds, rounded up. */
  left: number;
  /** Total seconds. */
  of: number;
  /** Work may take longer than the wait. */
  working: boolean;
}

/** Way without a puzzle: the work is done during the wait. Usable once. */
export class Patience {
  readonly #parts: PatienceParts;
  readonly #trail: TaskTrail;
  readonly #show: (progress: PatienceProgress) => void;
  #stopped = false;
  #working = true;
  #until = 0;
  #of = 0;
  #calling: Promise<unknown> = Promise.resolve();
  #stopTimer: () => void = () => {};

  /** @param show called at least once a second */
  constructor(parts: PatienceParts, trail: TaskTrail, show: (progress: PatienceProgress) => void) {
    this.#parts = parts;
    this.#trail = trail;
    this.#show = show;
  }

  /** @returns undefined if it was stopped; "again": there is a task instead @throws CallError */
  async run(): Promise<TokenAnswer | "again" | undefined> {
    try {
      let pow: PowAnswer | undefined;
      while (!this.#stopped) {
        const answer = await this.#call(pow);
        pow = undefined;
        if (answer.outcome === "token") return answer;
        if (answer.outcome === "again") return "again";
        this.#working = answer.outcome === "pow";
        this.#waitUntil(answer.wait_ms);
        if (this.#stopped) return undefined;
        if (answer.outcome === "pow") pow = await this.#parts.solve(answer.pow);
        else await new Promise<void>((resolve) => this.#parts.after(answer.wait_ms, resolve));
      }
      return undefined;
    } finally {
      this.#stopTimer();
    }
  }

  /** Resolves when no call is pending, since a session handles one at a time. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopTimer();
    await this.#calling.catch(() => undefined);
  }

  /** Retries with an overloaded service, so that nobody does the work twice. @throws CallError */
  #call(pow: PowAnswer | undefined): Promise<PatienceAnswer> {
    const { session, patience, after } = this.#parts;
    const call = () => {
      const answer = patience({ session, trail: this.#trail, ...(pow !== undefined && { pow }) });
      this.#calling = answer;
      return answer;
    };
    return repeated(call, PATIENCE, async (ms) => {
      if (this.#stopped) throw new CallError("service_unavailable");
      await new Promise<void>((resolve) => after(ms, resolve));
    });
  }

  /** The service's clock decides, so its value counts. */
  #waitUntil(ms: number): void {
    this.#until = this.#parts.now() + ms;
    this.#of = Math.max(this.#of, Math.ceil(ms / 1_000));
    this.#tell();
  }

  #tell(): void {
    this.#stopTimer();
    if (this.#stopped) return;
    const ms = Math.max(0, this.#until - this.#parts.now());
    this.#show({ left: Math.ceil(ms / 1_000), of: this.#of, working: this.#working });
    if (ms > 0) this.#stopTimer = this.#parts.after(Math.min(1_000, ms), () => this.#tell());
  }
}
