import { CodeKind } from "../proxy/host/execution-marker.js";

export interface Stall {
  worker: number;
  reason: "its main thread was blocked" | "it sent no liveness signal";
  route: string | undefined;
  /** Code that ran: "condition", "phase" or "filter" of the route, or `global rule "1"`. */
  part?: string;
  silentMs: number;
  at: string;
}

export function partOf(part: number, globalRuleAt: (index: number) => string | undefined): string {
  if (part >= CodeKind.rule) return `global rule "${globalRuleAt(part - CodeKind.rule) ?? ""}"`;
  return Object.entries(CodeKind).find(([, number]) => number === part)?.[0] ?? "none";
}
