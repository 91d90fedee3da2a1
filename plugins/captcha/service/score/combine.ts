import { type Group, HUMAN_CREDIT, SIGNALS, type SignalCode, type SignalWeight } from "./model.js";

export interface Evidence {
  code: SignalCode;
  /** Strength, 0..1. */
  x: number;
}

export interface Score {
  /** 0..1; 1 is a bot. */
  score: number;
  /** At most 8, the heaviest first; `weight` is the score of the signal alone. */
  reasons: { code: SignalCode; weight: number }[];
}

const MAX_REASONS = 8;
/** Groups without the credit for human movement, which proves nothing about the network. */
const WITHOUT_CREDIT: ReadonlySet<Group> = new Set(["H", "I"]);

/**
 * Combines evidence (captcha reference section 3.4): within a group the maximum of weight × strength, between
 * groups the noisy OR, `1 − Π(1 − e)`, then the credit, then floors. In a mean, one decisive signal would
 * vanish among eight quiet ones (W6). An additional signal never lowers the score.
 * @param human counts only without evidence of group A
 */
export function combine(evidence: readonly Evidence[], human: boolean): Score {
  const groups = new Map<Group, number>();
  const heaviest = new Map<SignalCode, number>();
  let floor = 0;
  for (const { code, x } of evidence) {
    if (!(x > 0)) continue;
    const signal: SignalWeight = SIGNALS[code];
    const worth = signal.weight * Math.min(1, x);
    groups.set(signal.group, Math.max(groups.get(signal.group) ?? 0, worth));
    floor = Math.max(floor, signal.floor ?? 0);
    heaviest.set(code, Math.max(heaviest.get(code) ?? 0, worth, signal.floor ?? 0));
  }
  const credit = human && !groups.has("A") ? HUMAN_CREDIT : 1;
  const browser = noisyOr([...groups].filter(([group]) => !WITHOUT_CREDIT.has(group)));
  const network = noisyOr([...groups].filter(([group]) => WITHOUT_CREDIT.has(group)));
  const sum = 1 - (1 - browser * credit) * (1 - network);
  return { score: rounded(Math.max(sum, floor)), reasons: reasonsOf(heaviest) };
}

const noisyOr = (groups: [Group, number][]): number =>
  1 - groups.reduce((product, [, worth]) => product * (1 - worth), 1);

/** Four digits: thresholds are written by hand, and records stay short. */
const rounded = (score: number) => Math.min(1, Math.round(score * 10_000) / 10_000);

function reasonsOf(heaviest: ReadonlyMap<SignalCode, number>): Score["reasons"] {
  return [...heaviest]
    .map(([code, weight]) => ({ code, weight: rounded(weight) }))
    .sort((a, b) => b.weight - a.weight || (a.code < b.code ? -1 : 1))
    .slice(0, MAX_REASONS);
}
