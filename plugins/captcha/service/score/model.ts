/** A new number needs a new `version` (reference 3.4): records of different versions are not comparable. */

/** Evidence with the same meaning, of which only the heaviest counts; letters of reference 3.2 and 3.3. */
export type Group = "A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" | TrailGroup;
/** Second score: behaviour during a task. */
type TrailGroup = "trust" | "reaction" | "pace" | "rhythm" | "pointer";

export interface SignalWeight {
  group: Group;
  /** Score at full strength, 0..1. */
  weight: number;
  /** Minimum score if the signal is present, whatever else indicates a person. */
  floor?: number;
  /** Text for docs/captcha/score.md. */
  means: string;
}

export const MODEL_VERSION = "2026-11.3";

/** Factor for the browser's evidence if the movement looks human and no automation mark was found. */
export const HUMAN_CREDIT = 0.75;

/** No sum of harmless signals outweighs them (W6). */
const DECISIVE = { weight: 0.95, floor: 0.9 } as const;
/** A task for everybody, whatever else the tick shows. */
const TASK = { weight: 0, floor: 0.7 } as const;

export const SIGNALS = {
  // A: automation.
  webdriver: { group: "A", ...DECISIVE, means: "`navigator.webdriver` is true" },
  webdriver_override: { group: "A", ...DECISIVE, means: "a property hides what `navigator.webdriver` is" },
  driver_global: { group: "A", ...DECISIVE, means: "a global that a driver leaves behind" },
  driver_attribute: { group: "A", ...DECISIVE, means: "an attribute that a driver sets on the page" },
  driver_binding: { group: "A", ...DECISIVE, means: "a binding of Playwright or Puppeteer" },
  headless_ua: { group: "A", ...DECISIVE, means: '"Headless" in the UA or the client hints' },
  zero_window: { group: "A", weight: 0.5, means: "a window without size that has the focus" },
  patched_natives: { group: "A", weight: 0.5, means: "native functions were replaced" },
  permissions_differ: { group: "A", weight: 0.5, means: "two ways to ask for a permission disagree" },

  // B: the environment contradicts itself.
  platform: { group: "B", weight: 0.45, means: "the UA's platform is not the browser's" },
  client_hints_platform: {
    group: "B",
    weight: 0.45,
    means: "the UA's platform is not that of `userAgentData`",
  },
  no_chrome_object: { group: "B", weight: 0.3, means: "Chromium without `window.chrome`" },
  product_sub: { group: "B", weight: 0.3, means: "`productSub` is not the engine's" },
  eval_length: { group: "B", weight: 0.3, means: "`eval` is not the engine's" },
  no_languages: { group: "B", weight: 0.25, means: "no languages" },
  no_touch_points: { group: "B", weight: 0.3, means: "a touch device that cannot be touched" },
  no_plugins: { group: "B", weight: 0.15, means: "Chromium on a desktop without plugins" },
  // Also remote desktops, virtual machines and Tor Browser.
  software_renderer: { group: "B", weight: 0.15, means: "graphics are drawn by the processor" },

  // C: the tick.
  tick_not_trusted: { group: "C", ...DECISIVE, means: "the tick was made by a script" },
  telemetry_missing: { group: "C", ...TASK, means: "no telemetry, or not what the frame sends" },
  telemetry_replayed: {
    group: "C",
    weight: 0,
    floor: 0.95,
    means: "the same tick was sent in another session",
  },
  mouse_without_movement: {
    group: "C",
    weight: 0.35,
    means: "a mouse that ticked with fewer than 3 samples of movement",
  },
  straight_path: { group: "C", weight: 0.3, means: "a straight path at constant speed" },
  // Assistive technology always ticks the middle, so the weight must not be higher.
  exact_centre: { group: "C", weight: 0.1, means: "a tick in the exact middle" },
  // A forged tick has fewer signals to fake, so this one is recorded but not decisive.
  no_tick: { group: "C", weight: 0.2, means: "no tick: the page's script asked (invisible mode)" },

  // D: time and visibility.
  tick_at_once: { group: "D", weight: 0.5, means: "less than 300 ms from load to tick" },
  tick_early: { group: "D", weight: 0.2, means: "less than 800 ms from load to tick" },
  hidden_at_tick: { group: "D", weight: 0.3, means: "the page was hidden at the tick" },
  covered: { group: "D", weight: 0.35, means: "something covered the frame" },
  not_focused: { group: "D", weight: 0.1, means: "the frame had no focus" },

  // E: the proof of work.
  pow_too_fast: { group: "E", weight: 0.4, means: "work done faster than any browser does it" },

  // F: the request contradicts its user agent.
  no_sec_fetch: { group: "F", weight: 0.45, means: "no `Sec-Fetch-*` from a browser that sends them" },
  wrong_sec_fetch: { group: "F", weight: 0.45, means: "`Sec-Fetch-*` of another kind of request" },
  client_hints: { group: "F", weight: 0.45, means: "client hints contradict the UA" },
  no_client_hints: { group: "F", weight: 0.2, means: "no client hints from a browser that sends them" },
  no_accept_language: { group: "F", weight: 0.25, means: "no `Accept-Language`, or `*`" },
  no_user_agent: { group: "F", weight: 0.45, means: "no UA" },
  user_agent_changed: { group: "F", weight: 0.45, means: "another UA than when the session began" },

  // G: the program of the session. Without it there is no token before a task, at any score.
  program_missing: { group: "G", ...TASK, means: "no answer to the session's program" },
  program_unbound: {
    group: "G",
    ...TASK,
    means: "an answer with another session's digest, or samples of other times",
  },
  program_wrong: {
    group: "G",
    ...TASK,
    means: "fewer than 90 % of the program's rows right, or more than 2 missing or zero",
  },
  // Weak: a hidden frame, an extension, an unknown engine, a laptop after sleep.
  program_not_run: { group: "G", weight: 0.2, means: "the program could not be run" },
  program_late: { group: "G", weight: 0.2, means: "an answer to a program that is older than 60 s" },

  // H: recent events of the same network.
  prefix_rate_soft: {
    group: "H",
    weight: 0.3,
    means: "more sessions in the last minute than `limits.sessions_soft`",
  },
  prefix_rate_hard: {
    group: "H",
    weight: 0.6,
    means: "the same for minutes, or more than `limits.sessions_hard`",
  },
  prefix_failed_tasks: { group: "H", weight: 0.4, means: "3 failed tasks in 10 minutes" },
  prefix_rejected_tokens: {
    group: "H",
    weight: 0.5,
    means: "a token that was rejected as replayed or of another address in the last hour",
  },

  // I: the kind of network.
  hosting_network: { group: "I", weight: 0.3, means: "a network of `hosting_networks`" },

  // Behaviour during a task, with a score of its own (C26).
  steps_not_trusted: { group: "trust", ...DECISIVE, means: "steps made by a script" },
  first_step_at_once: { group: "reaction", weight: 0.6, means: "a first step within 250 ms, or none" },
  steps_too_fast: { group: "pace", weight: 0.6, means: "steps faster than a hand" },
  steps_like_clockwork: { group: "rhythm", weight: 0.5, means: "steps at even distances" },
  steps_without_pointer: { group: "pointer", weight: 0.4, means: "a mouse that clicked without moving" },
} as const satisfies Record<string, SignalWeight>;

export type SignalCode = keyof typeof SIGNALS;

/** Signals of one group; the widget imports only the types. */
type CodeOf<G extends Group> = {
  [Code in SignalCode]: (typeof SIGNALS)[Code]["group"] extends G ? Code : never;
}[SignalCode];
export type Mark = CodeOf<"A">;
export type Contradiction = CodeOf<"B">;

const codesOf = <G extends Group>(group: G) =>
  (Object.keys(SIGNALS) as SignalCode[]).filter((code): code is CodeOf<G> => SIGNALS[code].group === group);
/** Closed lists for the checkbox frame, which always looks for all of them (W12). */
export const MARKS = codesOf("A");
export const CONTRADICTIONS = codesOf("B");
