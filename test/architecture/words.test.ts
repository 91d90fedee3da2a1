import { basename } from "node:path";
import { ts } from "ts-morph";
import { describe, expect, it } from "vitest";
import { filesBelow, read, syntaxTree } from "./sources.js";

// Private words, each of which has a term of docs/glossary.md or of the field.
const WORDS = `
stands?|standing|stand-ins? foresee|foreseen happened told heard kept passed written takers?|taking beside around
judged?|judgements? doorbell tally pace pulse turned|in-turns rests spoken strangers? disguised blame hidden|hiding asked
lacks?|lacking offences statics stretch deserted censor trial guarded settled gone findings? dist held|holding competitors? facts?
later lined like once ran places unit begun given refused remember most|longest|least(?!-conn) anew odd`
  .trim()
  .split(/\s+/);
const PRIVATE = new RegExp(`(?:^|-)(?:${WORDS.join("|")})(?:-|$)`);
const PRODUCT = ["compiler", "runtime", "cli", "plugins"];
const NAMED = [...PRODUCT, "test/support", "test/oracle"];

const COMMENTED = [...PRODUCT, "test/support"];

/** Comment on lines of its own. */
const COMMENT = /^\s*(?:\/\*\*|\*|\/\/) /;
const isPrivate = (line: string) =>
  COMMENT.test(line) &&
  (/^\s*\S+ (?:What|Whether|Where|Whose|Whom|Of|Those)\b/.test(line) || /\bstands?\b/.test(line));

const sources = (folders: readonly string[]) =>
  folders
    .flatMap((folder) => [".ts", ".tsx"].flatMap((extension) => filesBelow(folder, extension)))
    .filter((path) => !path.endsWith(".gen.ts"));

/** A name as lower-case words joined with "-": `readPlanFile` and `READ_PLAN_FILE` as "read-plan-file". */
function words(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1-$2")
    .replace(/[_.]/g, "-")
    .toLowerCase();
}

function declaredNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name)
        ? [name.text]
        : name.elements.flatMap((e) =>
            ts.isBindingElement(e) && ts.isIdentifier(e.name) ? [e.name.text] : [],
          ),
    );
  }
  const { name } = statement as ts.Statement & { name?: ts.Node };
  return name && ts.isIdentifier(name) ? [name.text] : [];
}

function exportedNames(path: string): string[] {
  return syntaxTree(path).statements.flatMap((statement) =>
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
      ? declaredNames(statement)
      : [],
  );
}

describe("words", () => {
  it("no name of a file or of an export contains a private word", () => {
    const found = sources(NAMED).flatMap((path) => {
      const file = basename(path).replace(/\.tsx?$/, "");
      return [file, ...exportedNames(path)]
        .filter((name) => PRIVATE.test(words(name)))
        .map((name) => `${path}: ${name}`);
    });
    expect(found).toEqual([]);
  });

  it('no comment opens with a relative clause or contains "stands"', () => {
    const found = sources(COMMENTED).flatMap((path) =>
      read(path)
        .split("\n")
        .flatMap((line, i) => (isPrivate(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });
});
