import type { ReplacementPart } from "../model/plan.js";
export type ReplacementTranslation =
  | { ok: true; parts: ReplacementPart[] }
  /** `capture`: number of a missing capture. */
  | { ok: false; offset: number; reason: string; capture?: number };

/**
 * As the scripting module does: `$0`, `$1`, `${1}`, `$$` for a dollar; named groups are unknown.
 * @param groups captures of the pattern; a higher number is a fault
 */
export function translateReplacement(text: string, groups: number): ReplacementTranslation {
  const parts: ReplacementPart[] = [];
  let literal = "";
  let index = 0;
  while (index < text.length) {
    if (text[index] !== "$") {
      literal += text[index++];
      continue;
    }
    if (text[index + 1] === "$") {
      literal += "$";
      index += 2;
      continue;
    }
    const [whole, plain, braced] = /^\$(?:(\d+)|\{(\d+)\})/.exec(text.slice(index)) ?? [];
    if (whole === undefined) return { ok: false, offset: index, reason: wrongDollar(text.slice(index)) };
    const capture = Number(plain ?? braced);
    if (capture > groups)
      return { ok: false, offset: index, reason: unknownCapture(capture, groups), capture };
    if (literal !== "") parts.push({ literal });
    literal = "";
    parts.push({ capture });
    index += whole.length;
  }
  if (literal !== "") parts.push({ literal });
  return { ok: true, parts };
}

function wrongDollar(rest: string): string {
  const shown = /^\$\{?[^}]{0,20}\}?/.exec(rest)?.[0] ?? "$";
  return `"${shown}" is not a capture; write $$ for a dollar sign`;
}

function unknownCapture(capture: number, groups: number): string {
  return `$${capture} does not exist: the pattern has ${groups === 0 ? "no captures" : `${groups} capture${groups === 1 ? "" : "s"}`}`;
}
