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

/** Functions of the codec that stay long because splitting them costs measured time; each says the number in its comment. */
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
  it("keeps every file at 400 lines or less", () => {
    const long = [...sources, ...tests].filter(
      (path) => !path.includes(".gen.") && read(path).split("\n").length > 401,
    );
    expect(long).toEqual([]);
  });

  it("keeps every function at 60 lines or less", () => {
    expect(sources.flatMap((path) => longFunctions(path))).toEqual([]);
  });

  it("uses no any and switches no rule off", () => {
    const loose = /(?::|\bas|<)\s*any\b|@ts-(?:ignore|expect-error|nocheck)|biome-ignore/;
    // In comments "any" is a word; a switched-off rule counts wherever it stands.
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/(?!.*(?:@ts-|biome-ignore)).*$/gm, "");
    expect(sources.filter((path) => loose.test(code(read(path))))).toEqual([]);
  });

  it("hides members with # alone: private is for constructors", () => {
    const worded = /^\s+private (?!constructor\()/m;
    expect(sources.filter((path) => worded.test(read(path)))).toEqual([]);
  });

  it("leaves nothing open in the code", () => {
    const open = /\b(?:TODO|FIXME|XXX|HACK)\b|not implemented/i;
    expect(sources.filter((path) => open.test(read(path)))).toEqual([]);
  });
});
