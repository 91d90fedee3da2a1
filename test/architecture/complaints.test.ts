import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { filesBelow } from "./sources.js";

it("commands and plugins print complaints by one function, which shows what a terminal would obey", () => {
  const byHand = ["cli", "plugins", "runtime", "compiler"]
    .flatMap((folder) => filesBelow(folder, ".ts"))
    .filter((path) => /(?:write|console\.error)\([`"']gwc: /.test(readFileSync(path, "utf8")));
  expect(byHand).toEqual(["runtime/process/complain.ts"]);
});
