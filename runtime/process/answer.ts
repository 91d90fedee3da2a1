import { VERSION } from "../abi/version.js";

/** An answer of the gateway's own servers before it is written. */
export interface Answer {
  status: number;
  /** JSON, or text as it is when `type` says so; undefined: empty. */
  body?: unknown;
  type?: string;
  headers?: Record<string, string>;
  /** What was changed, for the log: never sent. */
  changed?: { kind: string; id: string; fields: readonly string[]; value: unknown };
}

export const json = (status: number, body: unknown): Answer => ({ status, body });
/** The reference's error shape. */
export const failure = (status: number, message: string): Answer => json(status, { error_msg: message });

export const SERVER = `GW/${VERSION}`;
