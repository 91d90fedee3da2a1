import { CATALOGUE } from "./catalogue/index.js";
import type { Diagnostic } from "./diagnostic.js";

export const isAdvice = ({ code }: Pick<Diagnostic, "code">): boolean => CATALOGUE[code]?.advice === true;

export const withoutAdvice = (findings: readonly Diagnostic[]): Diagnostic[] =>
  findings.filter((finding) => !isAdvice(finding));
