import { type Budget, spend } from "../cost/search.js";
import { type Alphabet, MATCHED, type Matcher } from "./matcher.js";

export interface Candidate {
  index: number;
  matcher: Matcher;
}

interface CandidateState extends Candidate {
  state: number;
}

/** States of the pattern and of the candidates that may still match. */
interface Reached {
  own: number;
  others: readonly CandidateState[];
}

/** Finds a target that reaches a pattern. */
export class Search {
  readonly #pattern: Matcher;
  readonly #alphabet: Alphabet;
  readonly #isPath: boolean;
  readonly #budget: Budget;

  constructor(pattern: Matcher, alphabet: Alphabet, isPath: boolean, budget: Budget) {
    this.#pattern = pattern;
    this.#alphabet = alphabet;
    this.#isPath = isPath;
    this.#budget = budget;
  }

  /**
   * Indices of candidates that together match all targets.
   * @returns undefined if a target is left
   * @throws OutOfStepsError
   */
  coveringAmong(candidates: readonly Candidate[]): ReadonlySet<number> | undefined {
    const takers = new Set<number>();
    const others = candidates.map((candidate) => ({ ...candidate, state: candidate.matcher.start }));
    const start: Reached = { own: this.#pattern.start, others };
    const open = [start];
    const seen = new Set<string>();
    for (const reached of open) {
      if (reached !== start && this.#pattern.matchesAtEnd(reached.own)) {
        const taker = reached.others.find(({ matcher, state }) => matcher.matchesAtEnd(state));
        if (taker === undefined) return undefined;
        takers.add(taker.index);
      }
      for (const [letter, { beginsPath }] of this.#alphabet.letters.entries()) {
        if (reached === start && this.#isPath && !beginsPath) continue;
        const next = this.#behind(reached, letter, takers);
        if (next === undefined) continue;
        let key = String(next.own);
        for (const { index, state } of next.others) key += ` ${index} ${state}`;
        if (seen.has(key)) continue;
        seen.add(key);
        open.push(next);
      }
    }
    return takers;
  }

  /** @returns undefined if the pattern cannot match any more, or a candidate matched (added to `takers`) */
  #behind({ own, others }: Reached, letter: number, takers: Set<number>): Reached | undefined {
    spend(this.#budget, 1);
    const next = this.#pattern.next(own, letter);
    if (this.#pattern.isDead(next)) return undefined;
    spend(this.#budget, others.length);
    const left: CandidateState[] = [];
    for (const { index, matcher, state } of others) {
      const to = matcher.next(state, letter);
      if (to === MATCHED) {
        takers.add(index);
        return undefined;
      }
      if (!matcher.isDead(to)) left.push({ index, matcher, state: to });
    }
    return { own: next, others: left };
  }
}
