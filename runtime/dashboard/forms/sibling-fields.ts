import { createContext } from "react";

/** Fields of the object that contains a field: the effect of a pattern depends on its siblings. */
export const SiblingFieldsContext = createContext<Readonly<Record<string, unknown>>>({});
