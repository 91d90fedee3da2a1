/**
 * The weights of the score as data (captcha reference section 3.4). Whoever changes a number changes `version` too: every audit
 * record names it, and records of different versions cannot be compared.
 */

/** Evidence of one group says the same thing several times, so only its heaviest counts. Letters as in reference 3.2 and 3.3. */
export type Group = "A" | "B" | "C" | "D" | "E" | "F" | "H" | "I" | TrailGroup;
/** Of the second score, of a task's behaviour. */
type TrailGroup = "trust" | "reaction" | "pace" | "rhythm" | "pointer";

export interface SignalWeight {
  group: Group;
  /** 0..1: what the signal is worth at full strength. */
  weight: number;
  /** The score is never below it when the signal is there, whatever else speaks for a person. */
  floor?: number;
}

export const MODEL_VERSION = "2026-11.1";

/** Multiplies what the browser's evidence adds up to when the movement is a person's and no mark of automation was found. */
export const HUMAN_CREDIT = 0.75;

export const SIGNALS = {
  // A: automation. Decisive ones have floors, so that no sum of good manners outweighs them (W6).
  webdriver: { group: "A", weight: 0.95, floor: 0.9 },
  webdriver_override: { group: "A", weight: 0.95, floor: 0.9 },
  driver_global: { group: "A", weight: 0.95, floor: 0.9 },
  driver_attribute: { group: "A", weight: 0.95, floor: 0.9 },
  driver_binding: { group: "A", weight: 0.95, floor: 0.9 },
  headless_ua: { group: "A", weight: 0.95, floor: 0.9 },
  zero_window: { group: "A", weight: 0.5 },
  patched_natives: { group: "A", weight: 0.5 },
  permissions_differ: { group: "A", weight: 0.5 },

  // B: the environment contradicts itself.
  platform: { group: "B", weight: 0.45 },
  client_hints_platform: { group: "B", weight: 0.45 },
  no_chrome_object: { group: "B", weight: 0.3 },
  product_sub: { group: "B", weight: 0.3 },
  eval_length: { group: "B", weight: 0.3 },
  no_languages: { group: "B", weight: 0.25 },
  no_touch_points: { group: "B", weight: 0.3 },
  no_plugins: { group: "B", weight: 0.15 },
  // Also remote desktops, virtual machines and Tor Browser.
  software_renderer: { group: "B", weight: 0.15 },

  // C: the tick.
  tick_not_trusted: { group: "C", weight: 0.95, floor: 0.9 },
  telemetry_missing: { group: "C", weight: 0, floor: 0.7 },
  telemetry_replayed: { group: "C", weight: 0, floor: 0.95 },
  mouse_without_movement: { group: "C", weight: 0.35 },
  straight_path: { group: "C", weight: 0.3 },
  // Assistive technology always ticks the middle, so this may weigh no more.
  exact_centre: { group: "C", weight: 0.1 },

  // D: time and visibility.
  tick_at_once: { group: "D", weight: 0.5 },
  tick_early: { group: "D", weight: 0.2 },
  hidden_at_tick: { group: "D", weight: 0.3 },
  covered: { group: "D", weight: 0.35 },
  not_focused: { group: "D", weight: 0.1 },

  // E: the proof of work.
  pow_too_fast: { group: "E", weight: 0.4 },

  // F: the request contradicts its user agent.
  no_sec_fetch: { group: "F", weight: 0.45 },
  wrong_sec_fetch: { group: "F", weight: 0.45 },
  client_hints: { group: "F", weight: 0.45 },
  no_client_hints: { group: "F", weight: 0.2 },
  no_accept_language: { group: "F", weight: 0.25 },
  no_user_agent: { group: "F", weight: 0.45 },
  user_agent_changed: { group: "F", weight: 0.45 },

  // H: what came from the same network lately.
  prefix_rate_soft: { group: "H", weight: 0.3 },
  prefix_rate_hard: { group: "H", weight: 0.6 },
  prefix_failed_tasks: { group: "H", weight: 0.4 },
  prefix_rejected_tokens: { group: "H", weight: 0.5 },

  // I: what kind of network it is.
  hosting_network: { group: "I", weight: 0.3 },

  // Behaviour during a task; judged alone (C26).
  steps_not_trusted: { group: "trust", weight: 0.95, floor: 0.9 },
  first_step_at_once: { group: "reaction", weight: 0.6 },
  steps_too_fast: { group: "pace", weight: 0.6 },
  steps_like_clockwork: { group: "rhythm", weight: 0.5 },
  steps_without_pointer: { group: "pointer", weight: 0.4 },
} as const satisfies Record<string, SignalWeight>;

export type SignalCode = keyof typeof SIGNALS;
