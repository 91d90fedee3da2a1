import { createContext, type ReactNode } from "react";

/** Fields of an object that come first, by the object's name; "" is the top. The others are folded below them unless they are set. */
export type Primary = Readonly<Record<string, readonly string[]>>;

/** Choices of a form for its fields. */
export interface FormOptions {
  primary: Primary;
  /** Elements among the first fields of the top, by the names that have it there; it is no field of the schema. */
  between: Readonly<Record<string, ReactNode>>;
  /** Fields of the top that stand open though nothing is set in them. */
  open: readonly string[];
}

export const FormOptionsContext = createContext<FormOptions>({ primary: {}, between: {}, open: [] });
