import { randomInt } from "node:crypto";
import type { CaptchaSiteKey, TaskType } from "../../captcha-table.js";
import type { CaptchaParts, CaptchaRequest, Sale } from "../contract.js";
import { ALL_SITE_KEYS } from "../score/network-signals.js";
import type { SessionRecord } from "./sessions.js";

const PICTURES: readonly TaskType[] = ["shapes", "rings"];
/** Percentage of sessions that begin with the site key's first picture type. */
const FIRST_CHOICE = 65;
/** Failures after which the two picture types alternate. */
const ALTERNATE_AFTER = 2;
/** Minimum scores of harder tasks. */
const LEVELS = [0.7, 0.9] as const;
const TOP_LEVEL = 2;
/** Wrong answers of a session, and of its network in ten minutes, that raise the difficulty by one level. */
const HARDER_AFTER = { session: 3, network: 10 } as const;

const isPicture = (type: TaskType): boolean => PICTURES.includes(type);

/**
 * The type of the next task (reference 4.3). It is text or sound if the visitor asked for it, now or before,
 * because visitors who need sound need it again; otherwise a picture. Text and sound are choices, never
 * picked while there is a picture (WCAG 3.3.8). Chance picks the picture type once a session, and failures
 * from the second on change it. Neither a wish nor a skipped task does, or a program would pick the easier
 * type. `session.picture` stores it.
 * @returns undefined if the site key does not allow the requested type
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

/** Types that may replace a type that is not ready: pictures for pictures, nothing for a visitor's choice. */
export const substitutes = ({ taskTypes }: Pick<CaptchaSiteKey, "taskTypes">, type: TaskType): TaskType[] =>
  isPicture(type) ? taskTypes.filter(isPicture) : [];

/**
 * Difficulty 0..2: the higher of score and price, and one more after many tries.
 * @param failed wrong answers of the session
 * @param tries wrong answers of the network in ten minutes
 */
export function levelOf(
  { score = 0, sale }: { score?: number; sale?: Pick<Sale, "level"> } = {},
  failed = 0,
  tries = 0,
): number {
  const level = Math.max(LEVELS.filter((least) => score >= least).length, sale?.level ?? 0);
  const harder = failed >= HARDER_AFTER.session || tries >= HARDER_AFTER.network;
  return Math.min(TOP_LEVEL, level + (harder ? 1 : 0));
}

/** Current level of a session: its own, raised by the recent failures of its network. */
export const levelNow = (
  { rates }: Pick<CaptchaParts, "rates">,
  { client }: Pick<CaptchaRequest, "client">,
  { tick, failed }: Pick<SessionRecord, "tick" | "failed">,
): number => levelOf(tick, failed, rates.count("task_failed", client, ALL_SITE_KEYS, 10));
