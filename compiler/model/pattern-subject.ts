/** Text that a pattern is matched against, as far as its worst case depends on it. */
export interface Subject {
  /** In an operator's words: "a request target". */
  name: string;
  /** Maximum size that the limits allow. */
  bytes: number;
  /**
   * Maximum bytes that are searched at once, if the work can be cut into slices; otherwise equal to `bytes`.
   */
  atOnce: number;
  /** Its size is `max_resp_body_size`, and a rule may set `allow_slow`. */
  allowSlow?: boolean;
}

/**
 * Remaining analysis steps for the patterns of one resource. They are counted, not timed, so that all
 * machines agree.
 */
export interface AnalysisBudget {
  left: number;
}

/** Limits that the patterns of one resource share. */
export interface PatternBudget extends AnalysisBudget {
  /** Patterns so far, and their characters; absent if they are not counted. */
  size?: { patterns: number; characters: number };
}

/** Limits of the deployment that bound the subject of a pattern, in bytes. */
export interface SubjectSizes {
  /** `gw.limits.target_bytes` */
  target: number;
  /** `gw.limits.header_bytes`: limit of a head, and so of each header in it. */
  head: number;
}

/** Sizes and budget that the patterns of one resource share. */
export interface PatternScope {
  sizes: SubjectSizes;
  budget: PatternBudget;
}
