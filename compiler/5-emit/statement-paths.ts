import type { ConfigPath } from "../model/plan.js";

/** Config paths of the code from a position on. */
export interface StatementPaths {
  /** Line and column count from 0. */
  line: number;
  column: number;
  /** Settings that the code here begins with, the innermost first. */
  settings: readonly ConfigPath[];
  /** Settings that contain those, the innermost first. */
  around: readonly ConfigPath[];
}

/** Entry of `RenderedCode.paths`: from here on the code comes from the outer `depth` paths and `path`. */
interface Change {
  line: number;
  column: number;
  depth: number;
  path: ConfigPath | undefined;
}

const CHANGE = /^(\d+) (\d+) (\d+)(?: (\d+) (.*))?$/s;

/**
 * Returns the config paths of each line of a module, and of code within it that has its own. A line comes from
 * the same settings as the first code in it that has its own.
 * @param paths `RenderedCode.paths`
 */
export function readStatementPaths(content: string, paths: string): StatementPaths[] {
  const changes = readChanges(paths);
  const found: StatementPaths[] = [];
  let stack: ConfigPath[] = [];
  let next = 0;
  content.split("\n").forEach((text, line) => {
    const indent = text.search(/\S/);
    const isCode = indent >= 0 && !text.startsWith("//", indent);
    let begun = 0;
    let [column, last] = [indent, indent];
    const add = () => {
      if (!isCode || column >= text.length) return;
      const settings = stack.slice(stack.length - begun).reverse();
      found.push({ line, column, settings, around: stack.slice(0, stack.length - begun).reverse() });
    };
    for (let change = changes[next]; change?.line === line; change = changes[++next]) {
      const isFirst = begun === 0 && column === indent;
      if (change.column > last && !isFirst) {
        add();
        begun = 0;
        column = change.column;
      }
      last = Math.max(last, change.column);
      begun = Math.max(0, begun - (stack.length - change.depth));
      stack = stack.slice(0, change.depth);
      if (change.path === undefined) continue;
      stack.push(change.path);
      begun++;
    }
    add();
  });
  return found;
}

function readChanges(paths: string): Change[] {
  if (paths === "") return [];
  let last = "";
  return paths.split("\n").map((entry) => {
    const [, line, column, depth, shared, rest = ""] = CHANGE.exec(entry) ?? [];
    const path = shared === undefined ? undefined : last.slice(0, Number(shared)) + rest;
    last = path ?? last;
    return { line: Number(line), column: Number(column), depth: Number(depth), path };
  });
}
