/** One rule, what a person makes of it, and series that make it fire. */
export interface Alert {
  name: string;
  severity: "critical" | "warning" | "info";
  /** PromQL; holds where something is wrong. */
  expr: string;
  /** How long it must hold. */
  for: `${number}${"s" | "m" | "h"}`;
  /** One line; `{{ $labels.x }}` is a label of the series. */
  summary: string;
  means: string;
  /** What the operator does at three in the morning. */
  action: string;
  /** A proof: with these series, by the minute, the alert fires at minute 60 with these labels. */
  fires: { series: Readonly<Record<string, string>>; labels: Readonly<Record<string, string>> };
}

/** The gateway of the proofs. */
export const GATEWAY = "gw-1:9091";

/** Of a proof: nothing for half an hour, then one more each minute. */
export const GROWS = "0x30 1+1x60";
/** Something happened once, and there was no series before. */
export const BEGINS = "_x57 3x60";
/** So many a minute. */
export const each = (amount: number): string => `0+${amount}x120`;
/** The same all the time. */
export const stays = (value: number): string => `${value}x120`;
