import { CodeKind } from "../proxy/host/execution-marker.js";

/** A worker that was replaced because it did nothing any more. */
export interface Stall {
  worker: number;
  reason: "its main thread was held" | "it showed no sign of life";
  /** The route whose code ran; undefined when none did. */
  route: string | undefined;
  /** What of the route's: its "condition", a "phase", a "filter", or `global rule "1"`. */
  part?: string;
  silentMs: number;
  at: string;
}

/** @param globalRuleAt id of the n-th global rule */
export function partOf(part: number, globalRuleAt: (index: number) => string | undefined): string {
  if (part >= CodeKind.rule) return `global rule "${globalRuleAt(part - CodeKind.rule) ?? ""}"`;
  return Object.entries(CodeKind).find(([, number]) => number === part)?.[0] ?? "none";
}
