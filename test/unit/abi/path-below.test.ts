import { describe, expect, it } from "vitest";
import { pathFault } from "../../../runtime/abi/regular-file.js";

describe("pathFault", () => {
  it.each([
    "gateway.yaml",
    "routes/shop-1.js.map",
    "routes/%2E%2Eshop.ts",
    "a/...",
    ".github/x.yaml",
    ".gitignore",
    "x.git/y",
    "git~2/x",
    "names with blanks/ä.yaml",
  ])("pathFault accepts %j", (path) => expect(pathFault(path)).toBeUndefined());

  it.each([
    "",
    "/etc/passwd",
    "\\\\server\\share",
    "C:/x",
    "..",
    "../x",
    "a/../../x",
    "a\\..\\x",
    "a/./x",
    "a//x",
    "a/",
    "a\0b",
    ".git/hooks/pre-commit",
    "a/.GIT/config",
    ".Git . ./config",
    ".git::$INDEX_ALLOCATION/config",
    "git~1/config",
    "GIT~1",
    ".g\u200cit/config",
    "\ufeff.git/config",
  ])("pathFault returns a reason against %j", (path) => expect(pathFault(path)).toBeTypeOf("string"));
});
