import { createHash } from "node:crypto";
import type { Telemetry } from "../protocol.js";
import { CONTRADICTIONS, MARKS } from "./model.js";
import { boolean, integer, listOf, literal, nullable, number, object, oneOf, type Shape } from "./shape.js";

/** A day: frames restart after 12 hours without use. */
const MAX_MS = 86_400_000;

const ACTIVATION: Shape<Telemetry["activation"]> = object({
  kind: oneOf("mouse", "touch", "pen", "keyboard", "assistive", "code"),
  trusted: boolean,
  samples: integer(0, 60),
  path_ratio: number(0, 1e6),
  speed_variation: number(0, 1e6),
  turns: integer(0, 60),
  pause_ms: number(0, MAX_MS),
  press_ms: number(0, MAX_MS),
  off_centre: number(0, 1e4),
  radius: number(0, 1e4),
});

const TELEMETRY: Shape<Telemetry> = object({
  v: literal(1),
  marks: listOf(oneOf(...MARKS), 16),
  contradictions: listOf(oneOf(...CONTRADICTIONS), 16),
  activation: ACTIVATION,
  load_to_tick_ms: number(0, MAX_MS),
  hidden_at_tick: boolean,
  focused: boolean,
  visible: nullable(boolean),
});

/**
 * Undefined if the signals are missing, invalid or of another version: then the score has a floor (0.70), and
 * the visitor a task. So a frame of an older version is no dead end.
 */
export const telemetryOf = (value: unknown): Telemetry | undefined => (TELEMETRY(value) ? value : undefined);

/**
 * Fingerprint of a tick (A32): 128 bits, base64url, that cannot be reversed; undefined with too few
 * distinctive values. Ticks by keyboard or by assistive technology are alike, and two visitors must not count
 * as a replay; such ticks are counted per network.
 */
export function fingerprintOf({ activation, ...rest }: Telemetry): { digest: string; distinct: boolean } {
  const { kind, samples } = activation;
  const distinct = (kind === "mouse" || kind === "pen") && samples >= 3;
  // The order of fields is the sender's: another order would be another text for the same tick.
  const canonical = JSON.stringify([sorted(activation), sorted(rest)]);
  return { digest: createHash("sha256").update(canonical).digest("base64url").slice(0, 22), distinct };
}

const sorted = (fields: object) => Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));

/** About 12 MB. */
const MAX_TICKS = 100_000;
const KEPT_MS = 3_600_000;

/**
 * Detects replays in another session (A32), in memory of this process. Check and insert are one synchronous
 * step, so that of two at the same moment one is the replay. A tick is evidence, not a claim: the oldest is
 * evicted.
 */
export class SeenTicks {
  /** Oldest first. */
  readonly #ticks = new Map<string, { request: string; at: number }>();
  readonly #now: () => number;

  /** @param now monotonic time in ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A frame may send its own tick again if a response was lost. */
  isReplay(digest: string, request: string): boolean {
    const now = this.#now();
    const seen = this.#ticks.get(digest);
    if (seen !== undefined && now - seen.at < KEPT_MS) return seen.request !== request;
    this.#ticks.delete(digest);
    this.#ticks.set(digest, { request, at: now });
    for (const [oldest, { at }] of this.#ticks) {
      if (this.#ticks.size <= MAX_TICKS && now - at < KEPT_MS) break;
      this.#ticks.delete(oldest);
    }
    return false;
  }
}
