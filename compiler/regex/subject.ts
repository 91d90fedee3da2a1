/** What a pattern is matched against, as far as its worst case goes. */
export interface Subject {
  /** In an operator's words: "a request target". */
  name: string;
  /** The largest there can be: what the limits let through. */
  bytes: number;
  /** The most that is looked at in one go where the work can be cut into slices; else the same as `bytes`. */
  atOnce: number;
  /** Its size is `max_resp_body_size`, and a rule may state `allow_slow`. */
  allowSlow?: boolean;
}

/** Steps of analysis that the patterns of one resource may take together; counted, so that the answer is the same everywhere. */
export interface AnalysisBudget {
  left: number;
}

/** What the patterns of one resource may take together. */
export interface PatternBudget extends AnalysisBudget {
  /** Patterns so far, and their characters; absent: not counted. */
  size?: { patterns: number; characters: number };
}
