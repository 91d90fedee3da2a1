import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, read } from "../../architecture/sources.js";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";
import { fencedBlocks } from "../../tools/plugin-docs.js";

const directory = useTemporaryDirectory();
const untimed = (text: string) => text.replace(/in [\d.]+ s/, "in 0 s");

describe("shipped tests", () => {
  it("the tests of the examples pass", () => {
    const { status, stdout } = gwc(ROOT, ["test", "examples"]);
    expect(stdout).toMatch(/^\d\d tests passed/);
    expect(status).toBe(0);
  });

  it("the tests of the recipes pass, and all recipes but one have tests", () => {
    const recipes = fencedBlocks(read("docs/recipes.md"), "yaml");
    for (const [i, recipe] of recipes.entries()) {
      mkdirSync(join(directory.path, "recipes", String(i)), { recursive: true });
      writeFileSync(join(directory.path, "recipes", String(i), "gateway.yaml"), recipe);
    }
    expect(recipes.filter((recipe) => !recipe.includes("\ntests:")).length).toBeLessThan(2);
    const { status, stdout } = gwc(directory.path, ["test", "recipes"]);
    expect([stdout, status]).toEqual([expect.stringMatching(/^\d\d tests passed/), 0]);
  });

  it("gwc test prints the output that docs/testing.md shows", () => {
    const page = read("docs/testing.md");
    const [passing = "", failing = ""] = fencedBlocks(page, "yaml");
    const [told = "", reached = "", noticed = ""] = fencedBlocks(page, "text");
    writeFileSync(join(directory.path, "gateway.yaml"), passing);
    writeFileSync(join(directory.path, "kept.yaml"), failing);
    const green = gwc(directory.path, ["test"]);
    expect([green.stdout, green.status]).toEqual([expect.stringMatching(/^4 tests passed/), 0]);
    const some = gwc(directory.path, ["test", "--coverage", "--filter", "502"]);
    expect(untimed(some.stdout)).toBe(untimed(reached));
    const changed = gwc(directory.path, ["test", "--mutate", "--filter", "502"]);
    expect(untimed(changed.stdout)).toBe(untimed(noticed));
    const red = gwc(directory.path, ["test", "gateway.yaml", "kept.yaml", "--filter", "kept"]);
    expect([untimed(red.stdout), red.status]).toEqual([untimed(told), 1]);
  });
});
