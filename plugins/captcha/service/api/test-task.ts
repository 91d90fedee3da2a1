import type { CaptchaParts, PreparedTask, TaskAnswer } from "../contract.js";
import { testTask } from "../tasks/tasks.js";

const TEST_TASK = "sp-test-task";
const TEST_TEXT = "TTTTT";

/**
 * Replaces the task for `sp-test-task`, so that an integration test can solve it (H10). Shapes: always the
 * same pictures, the first three cells in order. Others have real pictures and a fixed answer: rings as they
 * are; T for each letter; two for each group of sounds.
 */
export function shownTask(
  { configuration }: CaptchaParts,
  siteKey: string,
  made: PreparedTask,
): PreparedTask {
  if (siteKey !== TEST_TASK || !configuration().settings.testing) return made;
  return made.type === "shapes" ? testTask() : { ...made, answer: knownAnswer(made) };
}

function knownAnswer({ answer, count }: PreparedTask): TaskAnswer {
  switch (answer.type) {
    case "shapes":
      return answer;
    case "rings":
      return { type: "rings", angles: new Array<number>(count).fill(0) };
    case "text":
      return { type: "text", text: TEST_TEXT.slice(0, count) };
    case "audio":
      return { type: "audio", groups: new Array<number>(count).fill(2) };
  }
}
