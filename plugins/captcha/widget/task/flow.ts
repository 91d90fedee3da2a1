import type { TaskType } from "../../captcha-table.js";
import type {
  AnswerAnswer,
  AnswerRequest,
  NextAnswer,
  NextRequest,
  PowAnswer,
  PowChallenge,
  TaskReply,
  TaskShown,
  TaskTrail,
} from "../../service/protocol.js";
import { CallFault } from "../shared/faults.js";
import type { CloseReason, FromTask } from "../shared/messages.js";

/** What the flow works with; tests give it others. */
export interface TaskParts {
  session: string;
  /** @throws CallFault */
  next(request: NextRequest): Promise<NextAnswer>;
  /** @throws CallFault */
  answer(task: string, request: AnswerRequest): Promise<AnswerAnswer>;
  /** Pictures and sound by name. @throws CallFault */
  load(task: TaskShown): Promise<ReadonlyMap<string, string>>;
  /** @throws CallFault */
  solve(challenge: PowChallenge): Promise<PowAnswer>;
  post(message: FromTask): void;
  view: TaskScreen;
  /** Monotonic milliseconds. */
  now(): number;
  after(ms: number, call: () => void): () => void;
}

/** What the flow shows. */
export interface TaskScreen {
  /** Nothing can be done now. */
  busy(why: "loading" | "working" | "checking"): void;
  wait(seconds: number): void;
  show(task: TaskShown, parts: ReadonlyMap<string, string>, why: "first" | "wrong" | "late" | "chosen"): void;
  /** Seconds left of the task's time, in the last half minute; 0: none. */
  left(seconds: number): void;
  /** Something failed; the visitor may try the same again. */
  fault(error: unknown, retry: () => void): void;
}

type Why = Parameters<TaskScreen["show"]>[2];

/** Seconds of a task's life that are counted down, as WCAG 2.2.1 wants a warning. */
const LAST_SECONDS = 30;

/** From task to task until one is solved (C25, C27): the task frame without its looks. */
export class TaskFlow {
  readonly #parts: TaskParts;
  #task: { id: string; until: number } | undefined;
  #busy = false;
  /** The visitor wants to leave while an answer is on its way. */
  #leaving: CloseReason | undefined;
  #stopClock: () => void = () => {};

  constructor(parts: TaskParts) {
    this.#parts = parts;
  }

  /** Gets a task and shows it, after work or waiting where the service asks for them. */
  async next(why: Why, type?: TaskType): Promise<void> {
    if (this.#busy) return;
    await this.#attempt(
      "loading",
      () => this.#next(why, type),
      () => this.next(why, type),
    );
  }

  async #next(why: Why, type: TaskType | undefined): Promise<void> {
    const { next, load, view, session, now } = this.#parts;
    this.#task = undefined;
    this.#stopClock();
    let request: NextRequest = { session, ...(type !== undefined && { type }) };
    for (;;) {
      const answer = await next(request);
      request = { session, ...(type !== undefined && { type }) };
      if (answer.outcome === "pow") {
        view.busy("working");
        request.pow = await this.#parts.solve(answer.pow);
      } else if (answer.outcome === "wait") await this.#wait(answer.wait_ms);
      else {
        const parts = await load(answer);
        this.#task = { id: answer.task, until: now() + answer.ttl_ms };
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

  /** Sends an answer. One that comes too late is not sent: there is quietly another task (H12). */
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

  /** The task's time is over. */
  get isLate(): boolean {
    return this.#task !== undefined && this.#parts.now() >= this.#task.until;
  }

  /** Closes now, or when the answer that is on its way is there. */
  close(reason: CloseReason): void {
    if (this.#busy && this.#task !== undefined) this.#leaving = reason;
    else this.#parts.post({ type: "close", reason });
  }

  async #attempt(
    why: "loading" | "checking",
    act: () => Promise<void>,
    again: () => Promise<void>,
  ): Promise<void> {
    this.#busy = true;
    this.#parts.view.busy(why);
    try {
      await act();
    } catch (error) {
      if (error instanceof CallFault && error.code === "session_expired")
        this.#parts.post({ type: "close", reason: "stale" });
      else this.#parts.view.fault(error, () => this.#busy || void again());
    } finally {
      this.#busy = false;
    }
    if (this.#leaving !== undefined) this.#parts.post({ type: "close", reason: this.#leaving });
    this.#leaving = undefined;
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
