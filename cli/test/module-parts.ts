import { readNote } from "../../compiler/model/config-path.js";
import type { ConfigPath } from "../../compiler/model/plan.js";

/** Statement of a module that coverage measures: an action by its execution, a condition by its results. */
export type ModulePart =
  | { kind: "action"; plugin: string; phase: string; origin: ConfigPath; at: number }
  | {
      kind: "condition";
      text: string;
      origin: ConfigPath;
      at: number;
      /** Offset of the code that runs if it is true. */
      into: number;
      /** It is the negated `vars` or `_meta.filter` at `origin`: a request that fails the filter skips the plugin. */
      fails: boolean;
    };

const PHASE = /^ {2}(?:async )?(\w+)\(x\) \{$/;
const NOTE = /^\s*\/\/ (.+)$/;
const BRANCH = /^\s*(?:\} else )?if \(/;
const CONFIGURED = /\.(?:vars|_meta\.filter)(?:\[|$)/;
const PLUGIN = /plugins\.([^.[]+)/;

/** Reads config paths in source comments. `match`, a single expression, is excluded: the router shows its result. */
export function modulePartsOf(code: string): ModulePart[] {
  const found: ModulePart[] = [];
  let phase: string | undefined;
  let origin: ConfigPath | undefined;
  let isFirst = false;
  let at = 0;
  const lines = code.split("\n");
  for (const [index, line] of lines.entries()) {
    const begins = PHASE.exec(line)?.[1];
    const note = NOTE.exec(line)?.[1];
    if (begins !== undefined) phase = begins === "match" ? undefined : begins;
    else if (line === "  },") phase = undefined;
    else if (note !== undefined) {
      origin = readNote(note) ?? origin;
      isFirst = true;
    } else if (phase !== undefined && origin !== undefined && /^ {4}/.test(line)) {
      const start = at + line.search(/\S/);
      const plugin = PLUGIN.exec(origin)?.[1];
      const branch = BRANCH.test(line) ? branchOf(lines, index, at) : undefined;
      if (branch !== undefined) {
        const fails = isFirst && branch.leaves && CONFIGURED.test(origin);
        found.push({ kind: "condition", origin, at: start, text: branch.text, into: branch.into, fails });
        isFirst = false;
      }
      if (
        branch === undefined &&
        plugin !== undefined &&
        /^\s*[\w$(]/.test(line) &&
        !/^\s*(?:const|let|return|\))/.test(line)
      )
        found.push({ kind: "action", plugin, phase, origin, at: start });
    }
    at += line.length + 1;
  }
  return found;
}

/** Text of a condition, which may span lines, and the offset of its consequence. */
function branchOf(lines: readonly string[], first: number, at: number) {
  const indent = lines[first]?.search(/\S/) ?? 0;
  let offset = at;
  for (let index = first; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const [, end = ""] = /\) (\{|[^){]*;)$/.exec(line) ?? [];
    if (end !== "" && line.search(/\S/) === indent) {
      const text = lines.slice(first, index + 1).map((one) => one.trim());
      const whole = text.join(" ");
      return {
        text: whole.slice(whole.indexOf("if ("), whole.length - end.length).trim(),
        leaves: end === "return;",
        into: offset + line.length - end.length,
      };
    }
    offset += line.length + 1;
  }
  return undefined;
}
