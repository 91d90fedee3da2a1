import type { Diagnostic } from "../model/diagnostic.js";
import { CATALOGUE } from "./catalogue/index.js";

export const isAdvice = ({ code }: Pick<Diagnostic, "code">): boolean => CATALOGUE[code]?.advice === true;
