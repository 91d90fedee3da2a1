import type { Order } from "./rows.js";
import type { TopSource, View } from "./source.js";

/** How the screen begins. */
export interface TopStart {
  source: TopSource;
  view: View;
  order: Order;
  /** Seconds that figures are of: one of `WINDOWS`. */
  seconds: number;
  /** Milliseconds from one look to the next. */
  every: number;
}

/** Exports of the bundle of the screen (see screen/build.mjs). */
export interface TopScreen {
  /**
   * Shows the screen until somebody quits, or the gateway refuses the key.
   * @returns why it ended by itself
   */
  show(start: TopStart): Promise<string | undefined>;
}
