import type { TaskType } from "../../captcha-table.js";
import type {
  AnswerAnswer,
  AnswerRequest,
  NextAnswer,
  NextRequest,
  TaskReply,
  TaskShown,
  TaskTrail,
} from "../../service/protocol.js";
import { CallError, repeated } from "../shared/faults.js";
import type { CloseReason, FromTask } from "../shared/messages.js";
import { Patience, type PatienceParts, type PatienceProgress } from "./patience.js";

/** Tests inject others. */
export interface TaskParts extends PatienceParts {
  /** @throws CallError */
  next(request: NextRequest): Promise<NextAnswer>;
  /** @throws CallError */
  answer(task: string, request: AnswerRequest): Promise<AnswerAnswer>;
  /** Pictures and sound by name. @throws CallError */
  load(task: TaskShown): Promise<ReadonlyMap<string, string>>;
  post(message: FromTask): void;
  view: TaskScreen;
}

export interface TaskScreen {
  busy(why: "loading" | "working" | "checking"): void;
  wait(seconds: number): void;
  show(task: TaskShown, parts: ReadonlyMap<string, string>, why: "first" | "wrong" | "late" | "chosen"): void;
  /** Last half minute of the task; 0: none. */
  left(seconds: number): void;
  /** The session has ended, by its time or by wrong answers; only closing is possible. */
  ended(): void;
  patience(progress: PatienceProgress): void;
  /** The visitor's network has used up a way until after `ms`; others still are available. */
  usedUp(way: Scarce, ms: number, retry: () => void): void;
  fault(error: unknown, retry: () => void): void;
}

/** Limited per network. */
export type Scarce = "audio" | "patience";
type Why = Parameters<TaskScreen["show"]>[2];

/** WCAG 2.2.1 wants a warning. */
const LAST_SECONDS = 30;
/** Automatic retries with an overloaded service. */
const PATIENCE = 2;

/** Leads from task to task until one is solved (C25, C27): the task frame without its view. */
export class TaskFlow {
  readonly #parts: TaskParts;
  #task: { id: string; until: number } | undefined;
  /** Type of the last task: a visitor who listens and asks for another task gets a sound again. */
  #type: TaskType | undefined;
  #busy = false;
  #isOver = false;
  /** Set if the visitor wants to leave during a pending call. */
  #leaving: CloseReason | undefined;
  #stopClock: () => void = () => {};
  #patience: Patience | undefined;

  constructor(parts: TaskParts) {
    this.#parts = parts;
  }

  /** Does work or waits first if the service requires it. */
  async next(why: Why, type?: TaskType): Promise<void> {
    if (this.#busy) return;
    await this.#attempt(
      "loading",
      async () => {
        const patience = this.#patience;
        this.#patience = undefined;
        await patience?.stop();
        await this.#next(why, type);
      },
      () => this.next(why, type),
      // Among the types of task only sound has a limit.
      (type ?? this.#type) === "audio" ? "audio" : undefined,
    );
  }

  /** Way without a puzzle; `next` leads back. */
  async patience(trail: TaskTrail): Promise<void> {
    if (this.#busy || this.#patience !== undefined) return;
    const { view, post } = this.#parts;
    const patience = new Patience(this.#parts, trail, (progress) => view.patience(progress));
    const isLeft = () => this.#patience !== patience;
    this.#patience = patience;
    this.#task = undefined;
    this.#stopClock();
    view.busy("loading");
    try {
      const answer = await patience.run();
      // Also if the visitor has just left: it ends the session.
      if (typeof answer === "object") post({ type: "token", token: answer.token, ttl_ms: answer.ttl_ms });
      if (isLeft()) return;
      this.#patience = undefined;
      if (answer === "again") await this.next("wrong");
    } catch (error) {
      if (isLeft()) return;
      this.#patience = undefined;
      this.#failed(error, () => this.patience(trail), "patience");
    }
  }

  async #next(why: Why, type: TaskType | undefined): Promise<void> {
    const { load, next, view, session, now } = this.#parts;
    this.#task = undefined;
    this.#stopClock();
    let request: NextRequest = { session, ...(type !== undefined && { type }) };
    for (;;) {
      const asked = request;
      const answer = await repeated(
        () => next(asked),
        PATIENCE,
        (ms) => this.#wait(ms),
      );
      request = { session, ...(type !== undefined && { type }) };
      if (answer.outcome === "pow") {
        view.busy("working");
        request.pow = await this.#parts.solve(answer.pow);
      } else if (answer.outcome === "wait") await this.#wait(answer.wait_ms);
      else {
        const parts = await load(answer);
        this.#task = { id: answer.task, until: now() + answer.ttl_ms };
        this.#type = answer.type;
        view.show(answer, parts, why);
        this.#countDown();
        return;
      }
    }
  }

  async #wait(ms: number): Promise<void> {
    const until = this.#parts.now() + ms;
    for (let left = ms; left > 0; left = until - this.#parts.now()) {
      this.#parts.view.wait(Math.ceil(left / 1_000));
      await new Promise<void>((resolve) => this.#parts.after(Math.min(1_000, left), resolve));
    }
  }

  /** A late answer is not sent: another task follows without a message (H12). */
  async submit(reply: TaskReply, trail: TaskTrail): Promise<void> {
    if (this.#busy || this.#task === undefined) return;
    if (this.isLate) {
      await this.next("late");
      return;
    }
    const { id } = this.#task;
    const request: AnswerRequest = { session: this.#parts.session, reply, trail };
    let solved = true;
    const send = async (): Promise<void> => {
      const answer = await this.#parts.answer(id, request);
      solved = answer.outcome === "token";
      if (answer.outcome === "token") {
        this.#stopClock();
        this.#parts.post({ type: "token", token: answer.token, ttl_ms: answer.ttl_ms });
      }
    };
    const attempt = async (): Promise<void> => {
      await this.#attempt("checking", send, attempt);
      if (!solved && !this.#busy) await this.next("wrong");
    };
    await attempt();
  }

  get isLate(): boolean {
    return this.#task !== undefined && this.#parts.now() >= this.#task.until;
  }

  /** Closes now, or after a pending response. */
  close(reason: CloseReason): void {
    if (this.#busy && this.#task !== undefined) this.#leaving = reason;
    else this.#close(reason);
  }

  /** The box has different texts for a visitor who leaves and for a session that has ended. */
  #close(reason: CloseReason): void {
    this.#parts.post({ type: "close", reason: this.#isOver ? "stale" : reason });
  }

  async #attempt(
    why: "loading" | "checking",
    act: () => Promise<void>,
    again: () => Promise<void>,
    scarce?: Scarce,
  ): Promise<void> {
    this.#busy = true;
    this.#parts.view.busy(why);
    try {
      await act();
    } catch (error) {
      this.#failed(error, again, scarce);
    } finally {
      this.#busy = false;
    }
    if (this.#leaving !== undefined) this.#close(this.#leaving);
    this.#leaving = undefined;
  }

  /** @param scarce the way that a rejection for the network's rate concerns */
  #failed(error: unknown, again: () => Promise<void>, scarce: Scarce | undefined): void {
    const { view } = this.#parts;
    const { code, retryAfter } = error instanceof CallError ? error : { code: undefined, retryAfter: 0 };
    const retry = () => this.#busy || void again();
    this.#isOver = code === "session_expired";
    if (this.#isOver) {
      this.#task = undefined;
      this.#stopClock();
      view.ended();
    } else if (code === "rate_limited" && scarce !== undefined) view.usedUp(scarce, retryAfter, retry);
    else view.fault(error, retry);
  }

  #countDown(): void {
    this.#stopClock();
    const { until } = this.#task ?? { until: 0 };
    const left = until - this.#parts.now();
    const seconds = Math.max(0, Math.ceil(left / 1_000));
    if (seconds <= LAST_SECONDS) this.#parts.view.left(seconds);
    if (seconds === 0) return;
    const pause = seconds > LAST_SECONDS ? left - LAST_SECONDS * 1_000 : 1_000;
    this.#stopClock = this.#parts.after(pause, () => this.#countDown());
  }
}
