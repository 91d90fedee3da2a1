/**
 * Messages between the page's script, the checkbox frame and the task frame over ports (reference section 7).
 * Each side copies the known fields to a new object and drops the rest: objects do not grow, and unknown
 * values do not pass.
 */
import type { WidgetError } from "../../service/protocol.js";
import type { Theme } from "./configuration.js";
import type { Language } from "./language.js";

/** `stale`: the session is gone, the box starts again by itself. */
export type CloseReason = "solved" | "esc" | "button" | "backdrop" | "error" | "reset" | "stale";

export interface WidgetFault {
  code: WidgetError;
  /** Language of the widget. */
  message: string;
  retryable: boolean;
}

/** The one message through `window.postMessage`: it carries the port for all others. */
export interface InitMessage {
  spc: 1;
  type: "init";
  /** Loader's name of the widget. */
  id: string;
  cfg: { action?: string; size?: "normal" | "compact" | "invisible" };
}

/** Reasons of `execute` in addition to the errors of a widget. */
export const EXECUTION_ERRORS = ["cancelled", "session_ended", "invalid_widget"] as const;

/** Rejection of `execute`; `message` is for visitors, in the language of the widget. */
export interface ExecutionFault {
  code: WidgetError | (typeof EXECUTION_ERRORS)[number];
  message: string;
  retryable: boolean;
}

export type FromBox =
  /** `theme`: the frame needs the colour scheme of its content; boxes of older versions omit it. */
  | { type: "ready"; language: Language; theme?: Theme }
  /** Requests the dialog: empty while the score is computed, with the task's frame once there is a reference. */
  | { type: "open"; w: number; h: number; ref?: string }
  | { type: "resize"; w: number; h: number }
  | { type: "close"; reason: CloseReason }
  | { type: "token"; token: string; ttl_ms: number }
  | ({ type: "error" } & WidgetFault)
  /** An attempt by `execute` has ended without a token. */
  | ({ type: "failed" } & ExecutionFault);

export type ToBox =
  /** The page's script requests a token without a tick (invisible mode). */
  | { type: "execute" }
  | { type: "reset"; expired: boolean }
  /** The visitor wants to close from outside the frame. */
  | { type: "dismiss"; reason: CloseReason }
  | { type: "destroy" }
  /** Carries the port to the task frame. */
  | { type: "dialog-ready" };

export type FromTask =
  | { type: "ready" }
  | { type: "resize"; w: number; h: number }
  | { type: "close"; reason: CloseReason }
  | { type: "token"; token: string; ttl_ms: number }
  /** The frame itself shows it and offers a retry. */
  | ({ type: "error" } & WidgetFault);

export type ToTask = { type: "dismiss"; reason: CloseReason };
