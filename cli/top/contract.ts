import type { Order } from "./rows.js";
import type { TopSource, View } from "./source.js";

export interface TopStart {
  source: TopSource;
  view: View;
  order: Order;
  /** Window of the figures in seconds: one of `WINDOWS`. */
  seconds: number;
  /** Interval of the polls in ms. */
  every: number;
}

/** Exports of the bundle of the screen (see screen/build.mjs). */
export interface TopScreen {
  /** Ends when the user quits or the gateway rejects the key. @returns the reason if it ended by itself */
  show(start: TopStart): Promise<string | undefined>;
}
