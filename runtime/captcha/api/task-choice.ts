import { randomInt } from "node:crypto";
import type { CaptchaSiteKey, TaskType } from "../../abi/captcha.js";
import type { SessionRecord } from "./sessions.js";

const PICTURES: readonly TaskType[] = ["shapes", "rings"];
/** Of 100 first tasks, those of the type that the site key names first. */
const FIRST_CHOICE = 65;
/** Failures after which the two kinds of pictures take turns. */
const ALTERNATE_AFTER = 2;
/** Scores from which on tasks are harder; whoever fails often is not punished with harder ones. */
const LEVELS = [0.7, 0.9] as const;

/**
 * The type of the next task (reference 4.3): what the visitor chose, now or before, because who needs sound needs it again; else
 * one of the pictures by weight, and after two failures the other one. Text and sound are choices, never picked while there
 * is a picture (WCAG 3.3.8).
 * @returns undefined when the site key does not allow the type
 */
export function nextType(
  { taskTypes }: Pick<CaptchaSiteKey, "taskTypes">,
  { chosen, shown, failed }: Pick<SessionRecord, "chosen" | "shown" | "failed">,
  requested: TaskType | undefined,
): TaskType | undefined {
  const wanted = requested ?? chosen;
  if (wanted !== undefined && (requested !== undefined || taskTypes.includes(wanted)))
    return taskTypes.includes(wanted) ? wanted : undefined;
  const [first = taskTypes[0], second] = taskTypes.filter((type) => PICTURES.includes(type));
  if (first === undefined || second === undefined) return first;
  if (failed >= ALTERNATE_AFTER) return shown === first ? second : first;
  return randomInt(100) < FIRST_CHOICE ? first : second;
}

/** Types that may come when the one that was picked is not ready: pictures for pictures, and nothing for what was chosen. */
export const standIns = (
  { taskTypes }: Pick<CaptchaSiteKey, "taskTypes">,
  { chosen }: Pick<SessionRecord, "chosen">,
): TaskType[] => (chosen === undefined ? taskTypes.filter((type) => PICTURES.includes(type)) : []);

/** Difficulty 0..2. @param score of the tick */
export const levelOf = (score: number): number => LEVELS.filter((least) => score >= least).length;
