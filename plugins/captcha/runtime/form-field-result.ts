/** Bytes [start, end). */
export interface Span {
  start: number;
  end: number;
}

/** `cuts`: spans to remove the field, ascending and disjoint. */
export type FormFieldResult =
  | { kind: "token"; token: string; cuts: readonly Span[] }
  /** No such field, or only an empty one. */
  | { kind: "none"; cuts: readonly Span[] }
  /** The body does not match its type, or the field cannot contain a token. */
  | { kind: "unreadable"; reason: UnreadableReason };

export type UnreadableReason = "malformed_body" | "field_repeated" | "not_a_text";

/** Captcha reference 0.3: a longer value is no token, and its end is not awaited. */
export const MAX_TOKEN = 2_048;
