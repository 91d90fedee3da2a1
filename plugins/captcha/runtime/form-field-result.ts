/** Bytes [start, end) of a body. */
export interface Span {
  start: number;
  end: number;
}

/** What a look at a body found of the token's field. `cuts`: what has to go for the body to be without it, ascending and apart. */
export type FormFieldResult =
  | { kind: "token"; token: string; cuts: readonly Span[] }
  /** No such field, or only an empty one. */
  | { kind: "none"; cuts: readonly Span[] }
  /** The body cannot be read as what it says it is, or the field cannot hold a token. */
  | { kind: "unreadable"; reason: UnreadableReason };

export type UnreadableReason = "malformed_body" | "field_repeated" | "not_a_text";

/** A token has at most 2048 characters (captcha reference 0.3); what is longer is none, and nobody waits for its end. */
export const MAX_TOKEN = 2_048;
