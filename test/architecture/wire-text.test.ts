import { ts } from "ts-morph";
import { expect, it } from "vitest";
import { filesBelow, syntaxTree } from "./sources.js";

// Texts of the codec are Latin-1 bytes. Both `trim` and `\s` treat 0xA0, the last byte of "à" and of the
// Russian "Р", as white space. White space of a header is space and tab only (RFC 9110, 5.6.3).
const TRIMS = new Set(["trim", "trimStart", "trimEnd", "trimLeft", "trimRight"]);

/** Code of a file that removes or splits at more than space and tab. */
function blanksOf(path: string): string[] {
  const tree = syntaxTree(path);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isTrim = ts.isPropertyAccessExpression(node) && TRIMS.has(node.name.text);
    // Strings too, because they may become patterns; "\\s" in one is \s in its value.
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

it("the codec treats only space and tab as white space", () => {
  const files = filesBelow("runtime/http", ".ts");
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap(blanksOf)).toEqual([]);
});
