/**
 * Messages between the frames and the captcha service: JSON over `POST`, same origin, never CORS (reference
 * section 7). The browser source imports these types. Unexpected fields are rejected.
 */
import type { TaskType } from "../captcha-table.js";
import type { Contradiction, Mark } from "./score/model.js";

export const API = "/api/v1";

/** Codes (H3) never change; the browser localizes the messages. */
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

/** Body of a status of 400 or more. */
export interface ApiError {
  /** `session_expired` starts a new session; it is never shown to the page. */
  error: WidgetError | "session_expired" | "invalid_request";
  retryable: boolean;
  /** Also in Retry-After, in whole seconds. */
  retry_after_ms?: number;
  /** Sentence for people who read the response. */
  message?: string;
}

/** 16 puzzles (reference 4.6): integers x < 2^32, SHA-256(salt || u8 index || u32be x) has `bits` leading zeros. */
export interface PowChallenge {
  id: string;
  /** 32 hex digits. */
  salt: string;
  bits: number;
  n: number;
  /** Addition to the puzzles. */
  memory?: MemoryChallenge;
}

/** Argon2id (RFC 9106, one lane) of the indexes 0..n-1 as u32be, with the challenge's salt, 16 bytes each. */
export interface MemoryChallenge {
  n: number;
  kib: number;
  passes: number;
  /** Bits of the puzzles for a browser without WebAssembly, which omits the hashes. */
  instead_bits: number;
}

/** `answers[i]` solves puzzle i; exactly n distinct integers. */
export interface PowAnswer {
  id: string;
  answers: number[];
  /** 32 hex digits each, in order; absent if the puzzles were solved with more bits instead. */
  memory?: string[];
  /** Time of the worker, for the audit. */
  ms: number;
}

/** POST /api/v1/session, when the checkbox frame has loaded: the proof of work is solved before the tick. */
export interface SessionRequest {
  site_key: string;
  /** Origin of the page around the frame, from the init message. */
  origin: string;
  /** `data-action`: at most 32 of [A-Za-z0-9_-]. */
  action?: string;
}
export interface SessionAnswer {
  /** 128 bits, base64url. Bound to site key, client prefix and UA family. */
  session: string;
  pow: PowChallenge;
  program: ProgramShown;
  /** Time until the tick. */
  ttl_ms: number;
}

/** Program for one session, to be run at the tick (service/program/). */
export interface ProgramShown {
  /** Base64; about 3 kB. */
  code: string;
  /** Samples in ms after its arrival, ascending, at most 5. */
  times: number[];
  /** Key of the running digest: two unsigned integers of 32 bits. */
  key: [number, number];
  /** POST /api/v1/program returns another one. */
  ttl_ms: number;
}

/** POST /api/v1/program, for one that is too old; finished work stays valid. */
export interface ProgramRequest {
  session: string;
}
export interface ProgramRenewed {
  program: ProgramShown;
}

/** Compared; nothing of it is stored. */
export interface ProgramAnswer {
  /** `hidden`: the frame was not visible; `threw`: the browser failed to build it. */
  state: "run" | "hidden" | "threw";
  /** Rounded numbers of each row, in order; null: the row threw. Empty if the program was not run. */
  rows: (number[] | null)[];
  /** Times since the program's arrival, and pointer samples until then; the last one is the tick's. */
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
  /** Remaining; browsers measure it by their monotonic clock. */
  ttl_ms: number;
}
interface TaskNeeded {
  outcome: "task";
  ref: string;
}

/** POST /api/v1/task/next. The task frame's page contains the session of its one-time reference. */
export interface NextRequest {
  session: string;
  /**
   * Absent: the server picks. "shapes" and "rings" both ask for a picture: the service alone chooses the
   * kind, or a program would take the one that it solves best.
   */
  type?: TaskType;
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
  /** GET /api/v1/task/<task>/<name>.png or .wav, each once. */
  parts: { name: string; kind: "png" | "wav"; width?: number; height?: number }[];
  /** shapes: cells to pick (3 or 5); rings: number of rings (4 or 5); text: letters; audio: groups. */
  count: number;
  /** Lifetime; the next action after it loads a new task without a message (H12). */
  ttl_ms: number;
  types: TaskType[];
  /** Way without a puzzle; absent: not available to this visitor. */
  patience_ms?: number;
}

/** shapes: cells 0..11 in order; rings: clockwise degrees 0..359, in order; text and audio: the typed text. */
export type TaskReply = { cells: number[] } | { angles: number[] } | { text: string };

/** POST /api/v1/task/<task>/answer */
export interface AnswerRequest {
  session: string;
  reply: TaskReply;
  trail: TaskTrail;
}
/** `again`: wrong, out of time, or behaviour like a bot's (C25, C26), without a distinction. */
export type AnswerAnswer = TokenAnswer | { outcome: "again" };

/** POST /api/v1/patience. Called again with the work, which is done during the wait, and after the wait. */
export interface PatienceRequest {
  session: string;
  /** Trail of the task at which it was chosen. */
  trail: TaskTrail;
  pow?: PowAnswer;
}
/** `wait_ms`: until the token is available. `again`: a script made the steps. */
export type PatienceAnswer =
  | TokenAnswer
  | { outcome: "pow"; pow: PowChallenge; wait_ms: number }
  | { outcome: "wait"; wait_ms: number }
  | { outcome: "again" };

/** At most 30 steps, no raw trail. */
export interface TaskTrail {
  /** Pick, turn, letter: in ms since the task was shown. */
  steps: number[];
  input: "mouse" | "touch" | "pen" | "keyboard" | "assistive" | "mixed";
  /** 0..1. */
  trusted: number;
  pointer_samples: number;
}

/** Reference 3.2; aggregates only, at most 2 kB of JSON. */
export interface Telemetry {
  v: 1;
  /** Group A. */
  marks: Mark[];
  /** Group B. */
  contradictions: Contradiction[];
  /** Group C. */
  activation: {
    /** `code`: no tick, the page's script called (invisible mode); numbers are 0 and `trusted` is false. */
    kind: "mouse" | "touch" | "pen" | "keyboard" | "assistive" | "code";
    trusted: boolean;
    /** Number before the tick, at most 60. */
    samples: number;
    /** Path length / straight line; 1 is straight. */
    path_ratio: number;
    /** Variance of speed over squared mean speed. */
    speed_variation: number;
    turns: number;
    /** Time without movement before the press. */
    pause_ms: number;
    press_ms: number;
    /** Pixels from the middle of the box. */
    off_centre: number;
    /** Pixels; 0 if unknown. */
    radius: number;
  };
  /** Group D. */
  load_to_tick_ms: number;
  hidden_at_tick: boolean;
  focused: boolean;
  /** IntersectionObserver v2: false if something covered the frame; null if unknown. */
  visible: boolean | null;
}
