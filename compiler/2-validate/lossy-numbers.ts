import type { LossyNumber } from "../1-parse/marks.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Spans } from "../model/source.js";
import { describedAt, isSecret } from "./annotations.js";

/**
 * Numbers that were probably meant as texts: if a field accepts both, nothing else reports it. Operands of
 * conditions are exempt, since they may be anything and compare as what they are.
 */
export function lossyNumberDiagnostics(lossy: readonly LossyNumber[], spans: Spans): Diagnostic[] {
  return lossy.flatMap(({ path, written }) => {
    const types = new Set(describedAt(path).flatMap(({ type = [] }) => type));
    const value = Number(written);
    const isNumber = types.has("number") || (types.has("integer") && Number.isInteger(value));
    if (!isNumber || !types.has("string") || types.has("boolean") || isSecret(path)) return [];
    return [diagnostic("GW1024", spans.value(path), { written, value })];
  });
}
