import { type Group, HUMAN_CREDIT, SIGNALS, type SignalCode, type SignalWeight } from "./model.js";

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
 * Combines evidence (captcha reference section 3.4): within a group the maximum of the weights, between
 * groups the noisy OR, `1 − Π(1 − e)`, then the credit, then floors. In a mean, one decisive signal would
 * vanish among eight quiet ones (W6). An additional signal never lowers the score.
 * @param human counts only without evidence of group A
 */
export function combine(evidence: readonly SignalCode[], human: boolean): Score {
  const groups = new Map<Group, number>();
  let floor = 0;
  for (const code of evidence) {
    const signal: SignalWeight = SIGNALS[code];
    groups.set(signal.group, Math.max(groups.get(signal.group) ?? 0, signal.weight));
    floor = Math.max(floor, signal.floor ?? 0);
  }
  const credit = human && !groups.has("A") ? HUMAN_CREDIT : 1;
  const browser = noisyOr([...groups].filter(([group]) => !WITHOUT_CREDIT.has(group)));
  const network = noisyOr([...groups].filter(([group]) => WITHOUT_CREDIT.has(group)));
  const sum = 1 - (1 - browser * credit) * (1 - network);
  // Four digits: thresholds are written by hand, and records stay short.
  const score = Math.min(1, Math.round(Math.max(sum, floor) * 10_000) / 10_000);
  return { score, reasons: reasonsOf(new Set(evidence)) };
}

const noisyOr = (groups: [Group, number][]): number =>
  1 - groups.reduce((product, [, worth]) => product * (1 - worth), 1);

function reasonsOf(codes: ReadonlySet<SignalCode>): Score["reasons"] {
  return [...codes]
    .map((code) => {
      const { weight, floor = 0 }: SignalWeight = SIGNALS[code];
      return { code, weight: Math.max(weight, floor) };
    })
    .sort((a, b) => b.weight - a.weight || (a.code < b.code ? -1 : 1))
    .slice(0, MAX_REASONS);
}
