import { createContext } from "react";

/** What is set in the object that a field stands in: what a pattern does depends on the fields beside it. */
export const BesideContext = createContext<Readonly<Record<string, unknown>>>({});
