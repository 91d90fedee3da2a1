import type { PreparedTask } from "../contract.js";
import { render } from "./render.js";
import { preparedTask } from "./task-pool.js";

const ANSWER = { type: "shapes", cells: [0, 1, 2] } as const;
let made: PreparedTask | undefined;

/**
 * The task of the test key `sp-test-task` (H10): always the same pictures, whose answer is the first three cells in order. Drawn here
 * once, in about 30 ms, when a test first asks for it.
 */
export function testTask(): PreparedTask {
  const seed = new Uint8Array(16).fill(1);
  const answer = { ...ANSWER, cells: [...ANSWER.cells] };
  made ??= preparedTask({ type: "shapes", answer, media: render(answer, 0, seed) });
  return made;
}
