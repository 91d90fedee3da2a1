import { describe, expect, it } from "vitest";
import { neighbour } from "../../../../plugins/captcha/widget/task/grid.js";

describe("keys in the grid of twelve cells", () => {
  it.each([
    [0, "ArrowRight", 1],
    [0, "ArrowDown", 4],
    [5, "ArrowUp", 1],
    [5, "ArrowLeft", 4],
    [5, "Home", 4],
    [5, "End", 7],
  ])("cell %i and key %s lead to cell %i", (from, key, to) => {
    expect(neighbour(from, key)).toBe(to);
  });

  it("arrow keys stop at the edges of the grid, and all other keys are left to the browser", () => {
    expect([neighbour(0, "ArrowUp"), neighbour(0, "ArrowLeft")]).toEqual([0, 0]);
    expect([neighbour(11, "ArrowDown"), neighbour(11, "ArrowRight")]).toEqual([11, 11]);
    for (const key of ["Tab", "Enter", " ", "a", "Escape"]) expect(neighbour(5, key)).toBeUndefined();
  });
});
