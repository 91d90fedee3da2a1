import { CATALOGUE } from "./catalogue/index.js";
import type { Diagnostic } from "./diagnostic.js";

export const isAdvice = ({ code }: Pick<Diagnostic, "code">): boolean => CATALOGUE[code]?.advice === true;
