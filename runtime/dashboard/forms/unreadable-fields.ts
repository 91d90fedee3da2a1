import { createContext, useContext } from "react";

/** Names, and indexes of items, from the root of the form. */
export type FieldSteps = readonly (string | number)[];

/** A field whose text is not valid yet. Until it is, the value keeps the previous content, and must not be saved. */
export interface UnreadableField {
  path: FieldSteps;
  text: string;
  /** Reason in the user's language. */
  reason: string;
}

export interface UnreadableFields {
  all: readonly UnreadableField[];
  tell(path: FieldSteps, found: Omit<UnreadableField, "path"> | undefined): void;
}

export const UnreadableFieldsContext = createContext<UnreadableFields>({ all: [], tell: () => {} });

const isSameField = (a: FieldSteps, b: FieldSteps): boolean =>
  a.length === b.length && a.every((step, at) => String(step) === String(b[at]));

/** Name in documentation and diagnostics: "headers.set", "filters.0.regex". */
export const nameOfField = (path: FieldSteps): string => path.join(".");

export const withoutField = (all: readonly UnreadableField[], path: FieldSteps): readonly UnreadableField[] =>
  all.filter((each) => !isSameField(each.path, path));

/** Unreadable text survives a closed fold and a switch of tabs. */
export function useUnreadable(path: FieldSteps) {
  const { all, tell } = useContext(UnreadableFieldsContext);
  return {
    unreadable: all.find((each) => isSameField(each.path, path)),
    tell: (found: Omit<UnreadableField, "path"> | undefined) => tell(path, found),
  };
}
