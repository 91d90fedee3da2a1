import type { CaptchaParts, PreparedTask, TaskAnswer } from "../contract.js";
import { testTask } from "../tasks/tasks.js";

const TEST_TASK = "sp-test-task";
const TEST_TEXT = "TTTTT";

/**
 * The task as shown. The test key `sp-test-task` gets one that an integration test can solve (H10), every
 * other key the generated one. Shapes: always the same pictures, the first three cells in order. The other
 * types have real pictures and a fixed answer: rings all left as they are; text T for each letter; audio two
 * for each group.
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
