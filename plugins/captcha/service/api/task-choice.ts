import { randomInt } from "node:crypto";
import type { CaptchaSiteKey, TaskType } from "../../captcha-table.js";
import { ALL_SITE_KEYS } from "../score/network-signals.js";
import type { SessionCall, SessionRecord } from "./sessions.js";

const PICTURES: readonly TaskType[] = ["shapes", "rings"];
/** Percentage of sessions that begin with the first picture type. */
const FIRST_CHOICE = 65;
const ALTERNATE_AFTER = 2;
const LEVELS = [0.7, 0.9] as const;
const TOP_LEVEL = 2;
/** Each wrong answer of the session, and of its network in ten minutes, that adds a level. */
const HARDER_AFTER = { session: 3, network: 10 } as const;

const isPicture = (type: TaskType): boolean => PICTURES.includes(type);

/**
 * Type of the next task (reference 4.3); undefined if the site key does not allow the requested one. Text and
 * sound are choices that persist, never picked while there is a picture (WCAG 3.3.8). Chance picks the
 * picture type once a session, and failures from the second on change it. Neither a wish nor a skipped task
 * does, or a program would pick the easier type.
 */
export function nextType(
  { taskTypes }: Pick<CaptchaSiteKey, "taskTypes">,
  session: Pick<SessionRecord, "chosen" | "picture" | "failed">,
  requested: TaskType | undefined,
): TaskType | undefined {
  if (requested !== undefined && !taskTypes.includes(requested)) return undefined;
  const wish = requested ?? session.chosen;
  if (wish !== undefined && !isPicture(wish) && taskTypes.includes(wish)) return wish;
  const pictures = taskTypes.filter(isPicture);
  session.picture ??= randomInt(100) < FIRST_CHOICE ? 0 : 1;
  const turns = Math.max(0, session.failed - ALTERNATE_AFTER + 1);
  return pictures[(session.picture + turns) % pictures.length] ?? taskTypes[0];
}

/** Pictures for pictures, nothing for a visitor's choice. */
export const substitutes = ({ taskTypes }: Pick<CaptchaSiteKey, "taskTypes">, type: TaskType): TaskType[] =>
  isPicture(type) ? taskTypes.filter(isPicture) : [];

/** Difficulty 0..2: the higher of score and price, and one more after many wrong answers. */
export function levelNow({ parts, request, session: { tick, failed } }: SessionCall): number {
  const byScore = LEVELS.filter((least) => (tick?.score ?? 0) >= least).length;
  const ofNetwork = parts.rates.count("task_failed", request.client, ALL_SITE_KEYS, 10);
  const isHarder = failed >= HARDER_AFTER.session || ofNetwork >= HARDER_AFTER.network;
  return Math.min(TOP_LEVEL, Math.max(byScore, tick?.sale?.level ?? 0) + (isHarder ? 1 : 0));
}
