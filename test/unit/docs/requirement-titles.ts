import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import { filesBelow, ROOT } from "../../architecture/sources.js";

/** A test whose title names the requirements that it checks. */
export interface Shown {
  file: string;
  /** Title without the ids. */
  title: string;
  ids: string[];
}

const ID = /\[([CHAWBTV]\d+)\]\s*/g;

/** All requirement ids, in order: C1–C67, H1–H44, A1–A82, W1–W13, B1–B7, V1–V12, T1–T6. */
export const IDS: readonly string[] = Object.entries({
  C: 67,
  H: 44,
  A: 82,
  W: 13,
  B: 7,

  V: 12,
  T: 6,
}).flatMap(([letter, count]) => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`));

/** Finds titles in calls of `it` and in the data of `it.each` and of the conformance runner. */
export function shownRequirements(): Shown[] {
  const sources = filesBelow("test", ".ts").flatMap((file) => fromSource(file));
  const cases = [...filesBelow("test/conformance", ".yaml"), ...filesBelow("plugins", ".yaml")].flatMap(
    (file) =>
      readFileSync(join(ROOT, file), "utf8")
        .split("\n")
        .flatMap((line) =>
          shown(file, line.replace(/^[\s-]*(?:name|title|it):\s*/, "").replace(/^["']|["']$/g, "")),
        ),
  );
  return [...sources, ...cases];
}

function shown(file: string, text: string): Shown[] {
  const ids = [...text.matchAll(ID)].map(([, id]) => id ?? "");
  return ids.length > 0 ? [{ file, title: text.replace(ID, "").replace(/\s+/g, " ").trim(), ids }] : [];
}

function fromSource(file: string): Shown[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  if (!/\[[CHAWBTV]\d+\]/.test(text)) return [];
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const found: Shown[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
      found.push(...shown(file, node.text));
    else if (ts.isTemplateExpression(node)) found.push(...shown(file, node.getText(tree).slice(1, -1)));
    else ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}
