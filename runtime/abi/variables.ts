/**
 * The variables of expressions, header values, log formats and hash keys: data for the compiler (which variable
 * exists, when, of which type, and the TypeScript that reads it) and the reference for `Exchange.variable`.
 */

/** From when on a variable has its value. */
export type Availability = "request" | "upstream" | "response" | "log";

export interface Variable {
  /** Name without "$"; for a prefixed group the prefix including its last "_" or ".". */
  name: string;
  /** A group such as `arg_x`: the rest of the name is the parameter. */
  prefixed: boolean;
  type: "text" | "number";
  /** May be absent (`undefined`). */
  optional: boolean;
  from: Availability;
  /** TypeScript that reads it from `x`; `%` in a prefixed group stands for the printed parameter. */
  code: string;
  description: string;
}
