import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { foldRanges } from "../../../compiler/regex/folding.js";
import { caseSets, foldingSource } from "../../tools/pcre2-folding.js";

const TABLE = new URL("../../../compiler/regex/folding.gen.ts", import.meta.url);

test("the case folding table contains exactly the sets of characters that pcre2test folds together", () => {
  const sets = caseSets();
  if (process.env.UPDATE === "1") writeFileSync(TABLE, foldingSource(sets));
  const folded = sets.map((set) => {
    const [first = 0] = set;
    return foldRanges([[first, first]], true).flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, i) => from + i),
    );
  });
  expect(folded).toEqual(sets);
});
