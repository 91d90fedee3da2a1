/**
 * What the frames and the captcha service say to each other: JSON over `POST`, same origin, never CORS (reference section 7).
 * The browser source imports these types, so neither side can drift. All fields that the service did not ask for are refused.
 */
import type { TaskType } from "../captcha-table.js";

export const API = "/api/v1";

/** Errors of the frame API and of the widget (H3). Codes never change; messages are localised in the browser. */
export const WIDGET_ERRORS = [
  "missing_sitekey",
  "invalid_sitekey",
  "hostname_not_allowed",
  "missing_response_target",
  "invalid_response_field_name",
  "callback_not_found",
  "unsupported_browser",
  "frame_blocked",
  "network_error",
  "timeout",
  "rate_limited",
  "service_unavailable",
  "internal_error",
] as const;
export type WidgetError = (typeof WIDGET_ERRORS)[number];

/** Body of every answer with a status of 400 or more. */
export interface ApiError {
  /** `session_expired`: start a new session; it is never shown to the page. */
  error: WidgetError | "session_expired" | "invalid_request";
  retryable: boolean;
  /** Milliseconds; also in Retry-After, in whole seconds. */
  retry_after_ms?: number;
  /** A sentence for people who read the answer, where the code does not say it all. */
  message?: string;
}

/** 16 puzzles (reference 4.6): find integers x < 2^32 so that SHA-256(salt || u8 index || u32be x) starts with `bits` zero bits. */
export interface PowChallenge {
  id: string;
  /** 32 hex digits: 16 bytes. */
  salt: string;
  bits: number;
  n: number;
  /** Memory-hard work beside the puzzles. */
  memory?: MemoryChallenge;
}

/** Hashes to compute with Argon2id (RFC 9106, one lane): of the indexes 0..n-1 as u32be, with the challenge's salt, 16 bytes each. */
export interface MemoryChallenge {
  n: number;
  kib: number;
  passes: number;
  /** Who has no WebAssembly leaves the hashes out, and solves the puzzles with so many bits. */
  instead_bits: number;
}

/** `answers[i]` solves puzzle i; exactly n integers, all distinct. */
export interface PowAnswer {
  id: string;
  answers: number[];
  /** 32 hex digits each, in order of their indexes; absent where the puzzles were solved with more bits instead. */
  memory?: string[];
  /** Milliseconds that the worker took, for the audit. */
  ms: number;
}

/** POST /api/v1/session, when the checkbox frame has loaded: the proof of work is solved before the tick. */
export interface SessionRequest {
  site_key: string;
  /** Origin of the page around the frame, as the init message had it. */
  origin: string;
  /** `data-action`, at most 32 of [A-Za-z0-9_-]. */
  action?: string;
}
export interface SessionAnswer {
  /** 128 bits, base64url. Bound to site key, client prefix and UA family. */
  session: string;
  pow: PowChallenge;
  program: ProgramShown;
  /** Milliseconds in which the session must be ticked. */
  ttl_ms: number;
}

/** A program that was made for one session (service/program/), to be run at the tick. */
export interface ProgramShown {
  /** Base64; about 3 kB. */
  code: string;
  /** Milliseconds after its arrival at which a sample is due, ascending, at most 5. */
  times: number[];
  /** Of the running digest: two unsigned integers of 32 bits. */
  key: [number, number];
  /** Milliseconds after which it counts no more; POST /api/v1/program gives another one. */
  ttl_ms: number;
}

/** POST /api/v1/program: the session's program is too old, the work that was done stays. */
export interface ProgramRequest {
  session: string;
}
export interface ProgramRenewed {
  program: ProgramShown;
}

/** What came of a program. The service compares it and keeps nothing of it. */
export interface ProgramAnswer {
  /** `hidden`: the frame could not be seen; `threw`: the browser could not even build it. */
  state: "run" | "hidden" | "threw";
  /** Rounded numbers of each row, in order; null: the row threw. Empty where it was not run. */
  rows: (number[] | null)[];
  /** Milliseconds since the program's arrival and pointer samples until then; the last one is the tick's. */
  samples: [number, number][];
  /** 16 hexadecimal digits over samples, rows, state and telemetry (service/program/digest.ts). */
  digest: string;
}

/** POST /api/v1/score, at the tick. */
export interface ScoreRequest {
  session: string;
  pow: PowAnswer;
  telemetry: Telemetry;
  program: ProgramAnswer;
}
export type ScoreAnswer = TokenAnswer | TaskNeeded;
export interface TokenAnswer {
  outcome: "token";
  token: string;
  /** Milliseconds of life left; browsers count on their monotonic clock. */
  ttl_ms: number;
}
export interface TaskNeeded {
  outcome: "task";
  /** One-time reference for GET /f/v1/task?s=<ref>. */
  ref: string;
}

/** POST /api/v1/task/next. The task frame's page carries the session that its one-time reference stood for. */
export interface NextRequest {
  session: string;
  /**
   * What the visitor chose; absent: the server picks. "shapes" and "rings" are one wish, for a picture: which kind comes is the
   * service's choice alone, or a program would take the one that it solves best.
   */
  type?: TaskType;
  /** Answer to the `pow` outcome before. */
  pow?: PowAnswer;
}
export type NextAnswer =
  | TaskShown
  | { outcome: "pow"; pow: PowChallenge }
  | { outcome: "wait"; wait_ms: number };
export interface TaskShown {
  outcome: "task";
  /** 128 bits, base64url. */
  task: string;
  type: TaskType;
  /** Pictures and sound by name: GET /api/v1/task/<task>/<name>.png or .wav, each once. */
  parts: { name: string; kind: "png" | "wav"; width?: number; height?: number }[];
  /** shapes: how many cells to pick (3 or 5); rings: how many (4 or 5); text: letters; audio: groups. */
  count: number;
  /** Milliseconds; then the next action quietly gets a new task (H12). */
  ttl_ms: number;
  /** Types that the visitor may switch to. */
  types: TaskType[];
  /** Milliseconds that the way without a puzzle takes; absent: it is not open to this visitor. */
  patience_ms?: number;
}

/** shapes: cells 0..11 in order; rings: degrees 0..359 by which each was turned clockwise, in order; text and audio: what was typed. */
export type TaskReply = { cells: number[] } | { angles: number[] } | { text: string };

/** POST /api/v1/task/<task>/answer */
export interface AnswerRequest {
  session: string;
  reply: TaskReply;
  trail: TaskTrail;
}
/** `again`: wrong, out of time, or behaviour like a bot's (C25, C26), told apart for nobody. */
export type AnswerAnswer = TokenAnswer | { outcome: "again" };

/**
 * POST /api/v1/patience: the way without a puzzle, work and a wait. Asked for again with the work, and when the wait is over; the work is
 * done meanwhile.
 */
export interface PatienceRequest {
  session: string;
  /** Of the task that it was chosen at. */
  trail: TaskTrail;
  /** Answer to the `pow` outcome before. */
  pow?: PowAnswer;
}
/** `wait_ms`: until the token may be asked for. `again`: steps that a script made, as for an answer. */
export type PatienceAnswer =
  | TokenAnswer
  | { outcome: "pow"; pow: PowChallenge; wait_ms: number }
  | { outcome: "wait"; wait_ms: number }
  | { outcome: "again" };

/** Aggregates of the behaviour during a task: at most 30 steps, no raw trail. */
export interface TaskTrail {
  /** Milliseconds from the task on the screen to each step (pick, turn, letter). */
  steps: number[];
  /** How the steps were made. */
  input: "mouse" | "touch" | "pen" | "keyboard" | "assistive" | "mixed";
  /** Share of events that were trusted, 0..1. */
  trusted: number;
  /** Pointer samples seen in the frame. */
  pointer_samples: number;
}

/** Browser signals (reference 3.2), aggregates only, at most 2 kB of JSON. */
export interface Telemetry {
  v: 1;
  /** Group A: names of automation marks that were found, at most 16, from a closed list. */
  marks: string[];
  /** Group B: names of contradictions of the environment, at most 16, from a closed list. */
  contradictions: string[];
  /** Group C. */
  activation: {
    /** `code`: nobody ticked, the page's script asked (invisible mode); all numbers are 0 then, and `trusted` is false. */
    kind: "mouse" | "touch" | "pen" | "keyboard" | "assistive" | "code";
    trusted: boolean;
    /** Pointer samples before the tick, at most 60. */
    samples: number;
    /** Path length / straight line; 1 is straight. */
    path_ratio: number;
    /** Variance of speed over squared mean speed. */
    speed_variation: number;
    turns: number;
    /** Milliseconds without movement before the press, and of the press. */
    pause_ms: number;
    press_ms: number;
    /** Pixels from the middle of the box. */
    off_centre: number;
    /** Touch: contact radius in pixels; 0 when unknown. */
    radius: number;
  };
  /** Group D, milliseconds. */
  load_to_tick_ms: number;
  hidden_at_tick: boolean;
  focused: boolean;
  /** IntersectionObserver v2: false when something covered the frame; null when unknown. */
  visible: boolean | null;
}
