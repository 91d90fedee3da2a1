import type {
  PowAnswer,
  PowChallenge,
  ProgramAnswer,
  ProgramRenewed,
  ProgramShown,
  ScoreAnswer,
  ScoreRequest,
  SessionAnswer,
  Telemetry,
} from "../../service/protocol.js";
import { CallError, closedFault, faultOf } from "../shared/faults.js";
import type { Language } from "../shared/language.js";
import type { CloseReason, ExecutionFault, FromBox, FromTask, WidgetFault } from "../shared/messages.js";

export type BoxState = "idle" | "scoring" | "task" | "verified" | "expired" | "ended" | "error";

export interface WatchedProgram {
  /** Remaining lifetime in ms. */
  readonly left: number;
  /** Runs the program; usable once. */
  answer(telemetry: Telemetry): ProgramAnswer;
}

/** Tests inject others. */
export interface BoxParts {
  language: Language;
  /** @throws CallError */
  session(): Promise<SessionAnswer>;
  /** @throws CallError */
  score(request: ScoreRequest): Promise<ScoreAnswer>;
  /** @throws CallError */
  solve(challenge: PowChallenge): Promise<PowAnswer>;
  /** @throws CallError */
  renew(session: string): Promise<ProgramRenewed>;
  /** Starts the samples of a program, which runs on request. */
  watch(program: ProgramShown): WatchedProgram;
  post(message: FromBox): void;
  show(state: BoxState, fault?: WidgetFault): void;
  /** False if there is no task frame. */
  dismissTask(reason: CloseReason): boolean;
  /** Monotonic ms. */
  now(): number;
  after(ms: number, call: () => void): () => void;
}

interface Prepared {
  session: string;
  pow: PowAnswer;
  program: WatchedProgram;
  renewal?: Promise<void>;
  /** Monotonic ms. */
  until: number;
}

/** Minimum remaining lifetime in ms, at the tick and when a visitor comes near. */
const PROGRAM_LEFT = { tick: 5_000, near: 40_000 };

/** Delays in ms between attempts for a session that nobody waits for yet. */
const WAITS = [3_000, 6_000, 12_000];
/** Time in ms before a session's end in which it is not ticked, so that it does not end during the call. */
const MARGIN = 10_000;
const SCORING = { w: 300, h: 140 };
const TASK = { w: 380, h: 520 };

/** State machine of the checkbox (captcha reference C21–C28): from the tick to the token and back. */
export class BoxFlow {
  readonly #parts: BoxParts;
  #state: BoxState = "idle";
  #prepared: Promise<Prepared> | undefined;
  /** Results of older attempts are ignored. */
  #run = 0;
  /** A call of `execute` waits. */
  #executing = false;
  #cancel: () => void = () => {};

  constructor(parts: BoxParts) {
    this.#parts = parts;
  }

  get state(): BoxState {
    return this.#state;
  }

  prepare(attempt = 0): void {
    this.#cancel();
    const prepared = this.#prepare();
    this.#prepared = prepared;
    prepared.catch((error: unknown) => {
      if (this.#prepared !== prepared) return;
      this.#prepared = undefined;
      // The tick reports its own fault.
      if (this.#state === "scoring") return;
      const fault = faultOf(error, this.#parts.language);
      const wait = WAITS[attempt];
      if (!fault.retryable || wait === undefined) this.#fail(fault);
      else {
        const asked = error instanceof CallError ? error.retryAfter : 0;
        this.#cancel = this.#parts.after(Math.max(wait, asked), () => this.prepare(attempt + 1));
      }
    });
  }

  async #prepare(): Promise<Prepared> {
    const { session, pow, program, ttl_ms } = await this.#parts.session();
    const until = this.#parts.now() + ttl_ms - MARGIN;
    const watched = this.#parts.watch(program);
    return { session, pow: await this.#parts.solve(pow), program: watched, until };
  }

  /** Called when a visitor comes near: replaces an old program now, so that the tick need not wait for it. */
  approach(): void {
    if (this.#state === "scoring" || this.#state === "task" || this.#state === "verified") return;
    void this.#prepared?.then((prepared) => this.#renew(prepared, PROGRAM_LEFT.near)).catch(() => undefined);
  }

  /** @throws CallError */
  async #renew(prepared: Prepared, left: number): Promise<void> {
    await prepared.renewal;
    if (prepared.program.left >= left) return;
    prepared.renewal = this.#parts.renew(prepared.session).then(({ program }) => {
      prepared.program = this.#parts.watch(program);
    });
    try {
      await prepared.renewal;
    } finally {
      delete prepared.renewal;
    }
  }

  /** @returns promise that resolves with the outcome and never rejects */
  async tick(telemetry: Telemetry): Promise<void> {
    if (this.#state === "scoring" || this.#state === "task" || this.#state === "verified") return;
    this.#cancel();
    const run = ++this.#run;
    this.#become("scoring");
    this.#parts.post({ type: "open", ...SCORING });
    try {
      const answer = await this.#score(telemetry, run);
      if (run !== this.#run || answer === undefined) return;
      if (answer.outcome === "token") this.#solved(answer.token, answer.ttl_ms);
      else {
        this.#become("task");
        this.#parts.post({ type: "open", ...TASK, ref: answer.ref });
      }
    } catch (error) {
      if (run !== this.#run) return;
      this.#prepared = undefined;
      this.#parts.post({ type: "close", reason: "error" });
      this.#fail(faultOf(error, this.#parts.language));
    }
  }

  /** Attempt of the page's script without a tick (invisible mode). The page receives one token or failure. */
  execute(telemetry: Telemetry): void {
    // The former token is spent: each call is for a token of its own.
    if (this.#state === "verified") this.reset(false);
    this.#executing = true;
    void this.tick(telemetry);
  }

  /** Replaces an expired session once. @returns undefined if nobody waits any more */
  async #score(telemetry: Telemetry, run: number): Promise<ScoreAnswer | undefined> {
    for (let attempt = 0; ; attempt++) {
      const prepared = await this.#fresh();
      const { session, pow } = prepared;
      if (run !== this.#run) return undefined;
      // A session can be ticked once, whatever the result.
      this.#prepared = undefined;
      try {
        await this.#renew(prepared, PROGRAM_LEFT.tick);
        if (run !== this.#run) return undefined;
        const program = prepared.program.answer(telemetry);
        return await this.#parts.score({ session, pow, telemetry, program });
      } catch (error) {
        if (attempt > 0 || !(error instanceof CallError && error.code === "session_expired")) throw error;
      }
    }
  }

  async #fresh(): Promise<Prepared> {
    const known = await this.#prepared?.catch(() => undefined);
    if (known !== undefined && known.until > this.#parts.now()) return known;
    this.#prepared = this.#prepare();
    return this.#prepared;
  }

  fromTask(message: FromTask): void {
    if (this.#state !== "task") return;
    switch (message.type) {
      case "ready":
        this.#parts.post({ type: "resize", ...TASK });
        return;
      case "resize":
      case "error":
        this.#parts.post(message);
        return;
      case "close":
        this.#close(message.reason);
        return;
      case "token":
        this.#solved(message.token, message.ttl_ms);
        return;
    }
  }

  /** Visitor's wish to close from outside of the task frame. */
  dismiss(reason: CloseReason): void {
    if (this.#state === "scoring") this.#close(reason);
    // The task frame may wait for a response, and closes after it.
    else if (this.#state === "task" && (reason === "reset" || !this.#parts.dismissTask(reason)))
      this.#close(reason);
  }

  /** Returns to the first state (H24), with an explanation if the token has expired. */
  reset(expired: boolean): void {
    this.#run++;
    this.#executing = false;
    this.#become(expired ? "expired" : "idle");
    this.#restart();
  }

  stop(): void {
    this.#run++;
    this.#cancel();
    this.#prepared = undefined;
  }

  /** Explains the end of a session during a task; otherwise the box would look unused. */
  #close(reason: CloseReason): void {
    this.#run++;
    this.#parts.post({ type: "close", reason });
    this.#become(reason === "stale" ? "ended" : "idle");
    this.#ended(closedFault(reason === "stale" ? "session_ended" : "cancelled", this.#parts.language));
    this.#restart();
  }

  #restart(): void {
    if (this.#prepared === undefined) this.prepare();
  }

  #solved(token: string, ttl_ms: number): void {
    this.#executing = false;
    this.#become("verified");
    this.#parts.post({ type: "token", token, ttl_ms });
  }

  #fail(fault: WidgetFault): void {
    this.#become("error", fault);
    this.#parts.post({ type: "error", ...fault });
    this.#ended(fault);
  }

  #ended(fault: ExecutionFault): void {
    if (this.#executing) this.#parts.post({ type: "failed", ...fault });
    this.#executing = false;
  }

  #become(state: BoxState, fault?: WidgetFault): void {
    this.#state = state;
    this.#parts.show(state, fault);
  }
}
