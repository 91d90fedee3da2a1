/**
 * What the programs of test/captcha-solvers solve, and one that counts the beeps: the honest upper bound of what docs/captcha/tasks.md may
 * claim. `GWC_ATTACK=long node .build/test/tools/captcha-attacks.js [tasks] [types] [levels]`, after a build.
 */

import { levelOf } from "../../plugins/captcha/service/tasks/media.js";
import { newTask } from "../../plugins/captcha/service/tasks/render.js";
import { checkReply } from "../../plugins/captcha/service/tasks/tasks.js";
import { countBeeps, countSteady } from "../captcha-solvers/audio.js";
import { bestOf, ratesOf } from "../captcha-solvers/rates.js";
import { decodeWav } from "../support/wav-file.js";

const [given = "200", types = "shapes,rings,audio", levels = "0,1,2"] = process.argv.slice(2);
const tasks = Number(given);
const say = (text: string) => process.stdout.write(`${text}\n`);

for (const type of types.split(","))
  for (const level of levels.split(",").map((one) => levelOf(Number(one)))) {
    if (type === "shapes" || type === "rings") {
      ratesOf(type, level, 1, 1_000_000);
      const rate = ratesOf(type, level, tasks);
      const best = bestOf(rate);
      say(
        `${type} level ${level}: ${rate.right[best]} of ${tasks} by ${best}, ${rate.ms.toFixed(0)} ms each`,
      );
      for (const [name, right] of Object.entries(rate.right))
        say(`  ${name}: ${right}, ${((rate.parts[name] ?? 0) * 100).toFixed(0)} % of parts`);
    }
    if (type !== "audio") continue;
    for (const [name, count] of Object.entries({
      "what is loud": countBeeps,
      "what keeps its pitch": countSteady,
    })) {
      let right = 0;
      for (let i = 0; i < tasks; i++) {
        const task = newTask(type, level);
        const text = count(decodeWav(Buffer.from(task.media[0]?.bytes ?? []))).join(" ");
        if (checkReply(task.answer, { text })) right++;
      }
      say(`audio level ${level}: ${right} of ${tasks} by ${name}`);
    }
  }
