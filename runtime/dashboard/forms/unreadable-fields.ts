import { createContext, useContext } from "react";

/** Names and places of items from the root of what a form edits. */
export type FieldSteps = readonly (string | number)[];

/** A field whose text is no value yet: the value of before stands for it until it is one, and nothing of it may be saved. */
export interface UnreadableField {
  path: FieldSteps;
  text: string;
  /** Why, in the user's language. */
  reason: string;
}

export interface UnreadableFields {
  all: readonly UnreadableField[];
  tell(path: FieldSteps, found: Omit<UnreadableField, "path"> | undefined): void;
}

export const UnreadableFieldsContext = createContext<UnreadableFields>({ all: [], tell: () => {} });

export const isSameField = (a: FieldSteps, b: FieldSteps): boolean =>
  a.length === b.length && a.every((step, at) => String(step) === String(b[at]));

/** As documentation and findings call it: "headers.set", "filters.0.regex". */
export const nameOfField = (path: FieldSteps): string => path.join(".");

/** All but one field. */
export const withoutField = (all: readonly UnreadableField[], path: FieldSteps): readonly UnreadableField[] =>
  all.filter((each) => !isSameField(each.path, path));

/** Unreadable text of this field, which outlives a fold that is closed and another tab; and how to tell that it is, or no longer. */
export function useUnreadable(path: FieldSteps) {
  const { all, tell } = useContext(UnreadableFieldsContext);
  return {
    unreadable: all.find((each) => isSameField(each.path, path)),
    tell: (found: Omit<UnreadableField, "path"> | undefined) => tell(path, found),
  };
}
