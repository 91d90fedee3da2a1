import { createContext, type ReactNode } from "react";

/** Fields that come first, by object; "" is the root. Others are folded below them unless they are set. */
export type Primary = Readonly<Record<string, readonly string[]>>;

export interface FormOptions {
  primary: Primary;
  /** Elements among the first fields of the root, by their names in `primary`; they are no fields of the schema. */
  between: Readonly<Record<string, ReactNode>>;
  /** Fields of the root that are open even if nothing is set in them. */
  open: readonly string[];
}

export const FormOptionsContext = createContext<FormOptions>({ primary: {}, between: {}, open: [] });
