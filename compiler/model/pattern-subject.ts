/** Text that a pattern is matched against, as far as its worst case depends on it. */
export interface Subject {
  /** Words for an operator: "a request target". */
  name: string;
  /** Maximum that the limits allow. */
  bytes: number;
  /** Maximum bytes that are searched at once; equal to `bytes` if the work cannot be cut into slices. */
  atOnce: number;
  /** Its size is `max_resp_body_size`, and a rule may set `allow_slow`. */
  allowSlow?: boolean;
}

/** Steps left for the patterns of one resource: counted, not timed, so that all machines agree. */
export interface AnalysisBudget {
  left: number;
}

export interface PatternBudget extends AnalysisBudget {
  /** Absent if patterns and their characters are not counted. */
  size?: { patterns: number; characters: number };
}

/** Limits of the deployment, in bytes. */
export interface SubjectSizes {
  target: number;
  /** `gw.limits.header_bytes`: limit of a head, and so of each header in it. */
  head: number;
}

export interface PatternScope {
  sizes: SubjectSizes;
  budget: PatternBudget;
}
