import { randomInt } from "node:crypto";
import type { CaptchaSiteKey, TaskType } from "../../captcha-table.js";
import type { CaptchaParts, CaptchaRequest, Sale } from "../contract.js";
import { ALL_SITE_KEYS } from "../score/network-signals.js";
import type { SessionRecord } from "./sessions.js";

const PICTURES: readonly TaskType[] = ["shapes", "rings"];
/** Of 100 sessions, those that begin with the picture that the site key names first. */
const FIRST_CHOICE = 65;
/** Failures after which the two kinds of pictures take turns. */
const ALTERNATE_AFTER = 2;
/** Scores from which on tasks are harder. */
const LEVELS = [0.7, 0.9] as const;
const TOP_LEVEL = 2;
/** Wrong answers of a session, and of its network in ten minutes, from which on tasks are one level harder. */
const HARDER_AFTER = { session: 3, network: 10 } as const;

const isPicture = (type: TaskType): boolean => PICTURES.includes(type);

/**
 * The type of the next task (reference 4.3): text or sound where the visitor asked for it, now or before, because who needs sound needs
 * it again; else a picture. Text and sound are choices, never picked while there is a picture (WCAG 3.3.8). Which picture it is, chance
 * decides once a session, and its failures from the second on: neither a wish nor leaving a task changes that, or a program would pick
 * the easier. `session.picture` remembers it.
 * @returns undefined when the site key does not allow what is asked for
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

/** Types that may come when the one that was picked is not ready: pictures for pictures, and nothing for what was chosen. */
export const substitutes = ({ taskTypes }: Pick<CaptchaSiteKey, "taskTypes">, type: TaskType): TaskType[] =>
  isPicture(type) ? taskTypes.filter(isPicture) : [];

/**
 * Difficulty 0..2: by the score or by the price, whichever is more, and one above that after many tries.
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

/** The level of what a session is given now: its own, and what its network did lately. */
export const levelNow = (
  { rates }: Pick<CaptchaParts, "rates">,
  { client }: Pick<CaptchaRequest, "client">,
  { tick, failed }: Pick<SessionRecord, "tick" | "failed">,
): number => levelOf(tick, failed, rates.count("task_failed", client, ALL_SITE_KEYS, 10));
