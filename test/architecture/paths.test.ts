import { expect, it } from "vitest";
import { filesBelow, read } from "./sources.js";

const FOLDERS = ["cli", "compiler", "docs", "examples", "plugins", "runtime", "schema", "test"];
const SOURCES = FOLDERS.flatMap((folder) =>
  [".ts", ".tsx", ".mjs"].flatMap((extension) => filesBelow(folder, extension)),
);

// The pathname of "file:///my%20work/gwc" is no path: the directory is "/my work".
it("a path of the repository is made by fileURLToPath, because a checkout may have a space in its path", () => {
  const found = SOURCES.filter((file) => /import\.meta\.url\)\.pathname\b/.test(read(file)));
  expect(found).toEqual([]);
});
