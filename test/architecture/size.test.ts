import { ts } from "ts-morph";
import { describe, expect, it } from "vitest";
import { filesBelow, read, syntaxTree } from "./sources.js";

const sources = [
  ...filesBelow("compiler", ".ts"),
  ...filesBelow("runtime", ".ts"),
  ...filesBelow("runtime", ".tsx"),
  ...filesBelow("plugins", ".ts"),
  ...filesBelow("plugins", ".tsx"),
  ...filesBelow("cli", ".ts"),
  ...filesBelow("examples", ".ts"),
];
const tests = filesBelow("test", ".ts");

/**
 * Functions of the codec that stay long because a split costs measured time; the comment of each gives the
 * number.
 */
const LONG_BY_MEASUREMENT = /Longer than 60 lines: .*\d/;

function longFunctions(path: string): string[] {
  const tree = syntaxTree(path);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const line = (position: number) => tree.getLineAndCharacterOfPosition(position).line;
      const lines = line(node.end) - line(node.getStart(tree)) + 1;
      const comment = tree.text.slice(node.getFullStart(), node.getStart(tree));
      const name = "name" in node && node.name ? node.name.getText(tree) : "(anonymous)";
      if (lines > 60 && !LONG_BY_MEASUREMENT.test(comment)) found.push(`${path} ${name}: ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

describe("size and strictness of the sources", () => {
  it("every source and test file has at most 400 lines", () => {
    const long = [...sources, ...tests].filter(
      (path) => !path.includes(".gen.") && read(path).split("\n").length > 401,
    );
    expect(long).toEqual([]);
  });

  it("every function has at most 60 lines", () => {
    expect(sources.flatMap((path) => longFunctions(path))).toEqual([]);
  });

  it("no source uses any or disables a lint rule", () => {
    const loose = /(?::|\bas|<)\s*any\b|@ts-(?:ignore|expect-error|nocheck)|biome-ignore/;
    // "any" may occur in comments; a disabled rule counts everywhere.
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/(?!.*(?:@ts-|biome-ignore)).*$/gm, "");
    expect(sources.filter((path) => loose.test(code(read(path))))).toEqual([]);
  });

  it("no source has a private keyword except at constructors", () => {
    const worded = /^\s+private (?!constructor\()/m;
    expect(sources.filter((path) => worded.test(read(path)))).toEqual([]);
  });

  it("no source contains TODO or a similar marker", () => {
    const open = /\b(?:TODO|FIXME|XXX|HACK)\b|not implemented/i;
    expect(sources.filter((path) => open.test(read(path)))).toEqual([]);
  });
});
