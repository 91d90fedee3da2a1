import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { filesBelow } from "./sources.js";

it("a complaint of a command or a plugin is printed by one function, which escapes control characters", () => {
  const byHand = ["cli", "plugins", "runtime", "compiler"]
    .flatMap((folder) => filesBelow(folder, ".ts"))
    .filter((path) => /(?:write|console\.error)\([`"']gwc: /.test(readFileSync(path, "utf8")));
  expect(byHand).toEqual(["runtime/process/complain.ts"]);
});
