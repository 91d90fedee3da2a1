/**
 * What the page's script, the checkbox frame and the task frame say to each other over ports (reference section 7). Each side
 * reads a message into a new object of known fields and drops the rest, so nothing grows and nothing unknown gets through.
 */
import type { WidgetError } from "../../service/protocol.js";
import type { Theme } from "./configuration.js";
import type { Language } from "./language.js";

/** Why a dialog closes. `stale`: its session is gone, the box starts again by itself. */
export type CloseReason = "solved" | "esc" | "button" | "backdrop" | "error" | "reset" | "stale";

export interface WidgetFault {
  code: WidgetError;
  /** In the language of the widget. */
  message: string;
  retryable: boolean;
}

/** The one message that goes through `window.postMessage`: it carries the port for all others. */
export interface InitMessage {
  spc: 1;
  type: "init";
  /** The loader's name of the widget. */
  id: string;
  cfg: { action?: string; size?: "normal" | "compact" | "invisible" };
}

/** Why `execute` of the page's object brought no token, beside the errors of a widget. */
export const EXECUTION_ERRORS = ["cancelled", "session_ended", "invalid_widget"] as const;

/** What `execute` rejects with; `message` is for visitors, in the language of the widget. */
export interface ExecutionFault {
  code: WidgetError | (typeof EXECUTION_ERRORS)[number];
  message: string;
  retryable: boolean;
}

export type FromBox =
  /** `theme`: as page and site key have it, so that the frame stands in the colours of what is in it; boxes of older versions do not tell. */
  | { type: "ready"; language: Language; theme?: Theme }
  /** The dialog is wanted: empty while the score is computed, with the task's frame once there is a reference. */
  | { type: "open"; w: number; h: number; ref?: string }
  | { type: "resize"; w: number; h: number }
  | { type: "close"; reason: CloseReason }
  | { type: "token"; token: string; ttl_ms: number }
  | ({ type: "error" } & WidgetFault)
  /** What `execute` began has ended without a token. */
  | ({ type: "failed" } & ExecutionFault);

export type ToBox =
  /** The page's script asks in place of a tick (invisible mode). */
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
  /** For the page; the frame itself shows it and offers another try. */
  | ({ type: "error" } & WidgetFault);

export type ToTask = { type: "dismiss"; reason: CloseReason };
