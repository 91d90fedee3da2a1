import { createContext } from "react";

/** Fields of the object that a field stands in: the effect of a pattern depends on the fields beside it. */
export const SiblingFieldsContext = createContext<Readonly<Record<string, unknown>>>({});
