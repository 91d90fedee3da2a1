import { isObject } from "../../runtime/abi/json-object.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Report, Span } from "../model/diagnostic.js";
import type { Path, Spanned } from "../model/source.js";

/**
 * Returns `{ gw?, deployment? }`, or null if no file has either. A setting may be in one file only, so that
 * none overrides another silently.
 */
export function mergeDeployments(parts: readonly Spanned[], report: Report): Record<string, unknown> | null {
  const places = new Map<string, Span>();
  const merged: Record<string, unknown> = {};
  for (const part of parts) {
    const add = (into: Record<string, unknown>, value: object, path: Path): void => {
      for (const [key, setting] of Object.entries(value)) {
        if (setting === undefined) continue;
        const at = [...path, key];
        const earlier = places.get(JSON.stringify(at));
        if (isObject(setting)) {
          const group = (into[key] ??= {});
          if (isObject(group)) add(group, setting, at);
        } else if (earlier) report(twice(at, part, earlier));
        else {
          into[key] = setting;
          places.set(JSON.stringify(at), part.spans.value(at));
        }
      }
    };
    add(merged, part.value as object, []);
  }
  return Object.keys(merged).length > 0 ? merged : null;
}

function twice(path: Path, part: Spanned, earlier: Span): Diagnostic {
  const note = { message: "it is also set here", span: earlier };
  return diagnostic("GW3005", part.spans.key(path), { setting: path.join(".") }, { notes: [note] });
}
