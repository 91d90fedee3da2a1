import { ts } from "ts-morph";
import { expect, it } from "vitest";
import { filesBelow, syntaxTree } from "./sources.js";

// Texts of the codec are bytes as Latin-1, where both `trim` and `\s` take 0xA0 for a blank: the last byte of "à", and of
// the Russian "Р". A field's own blanks are space and tab (RFC 9110, 5.6.3).
const TRIMS = new Set(["trim", "trimStart", "trimEnd", "trimLeft", "trimRight"]);

/** What of a file takes more than a field's own blanks away or apart. */
function blanksOf(path: string): string[] {
  const tree = syntaxTree(path);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isTrim = ts.isPropertyAccessExpression(node) && TRIMS.has(node.name.text);
    // Also in texts, which may become patterns; "\\s" in one is \s in what it makes.
    const isPattern =
      (ts.isRegularExpressionLiteral(node) ||
        ts.isStringLiteralLike(node) ||
        ts.isTemplateExpression(node)) &&
      /\\[sS]/.test(node.getText(tree));
    if (isTrim || isPattern) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
      found.push(`${path}:${line + 1} ${node.getText(tree)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

it("the codec takes only a field's own blanks for blanks", () => {
  const files = filesBelow("runtime/http", ".ts");
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap(blanksOf)).toEqual([]);
});
