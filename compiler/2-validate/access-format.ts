import { isObject } from "../../runtime/abi/json-object.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Spanned } from "../model/source.js";
import { parseText } from "../variables/text.js";
import { reportAtReference } from "../variables/text-place.js";

/** Reports variables of `gw.access_log.format` without a value in any line; its own check reports unknown ones. */
export function absentInLines({ value, spans }: Spanned<Record<string, unknown>>): Diagnostic[] {
  const gw = value["gw"];
  const log = isObject(gw) ? gw["access_log"] : undefined;
  const format = isObject(log) ? log["format"] : undefined;
  if (typeof format !== "string") return [];
  const found: Diagnostic[] = [];
  const report = reportAtReference(format, 0, spans.value(["gw", "access_log", "format"]), (one) =>
    found.push(one),
  );
  const rules = { now: "log", place: "a line of the access log", captures: undefined } as const;
  parseText(format, rules, (fault) => {
    if (fault.code === "GW4418") report(fault);
  });
  return found;
}
