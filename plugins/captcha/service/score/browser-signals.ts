import type { Telemetry } from "../protocol.js";
import type { Evidence } from "./combine.js";

/** A minimum for everybody from load to tick, and one that few people undercut. */
const AT_ONCE_MS = 300;
const EARLY_MS = 800;
/** Minimum of a hand that moves a mouse, at 20 samples a second. */
const MIN_SAMPLES = 3;
/** A hand's path is longer than the straight line, and its speed changes. */
const STRAIGHT_RATIO = 1.005;
const CONSTANT_SPEED = 0.01;
/** Times for which keys, buttons and fingers stay down. */
const PRESS_MS = { least: 15, most: 2_000 };

type Activation = Telemetry["activation"];

/** Groups A to D (captcha reference section 3.2). Every found mark counts, always (W12). */
export function browserEvidence(telemetry: Telemetry | undefined): Evidence[] {
  if (telemetry === undefined) return [{ code: "telemetry_missing", x: 1 }];
  const { marks, contradictions, activation } = telemetry;
  return [
    ...[...marks, ...contradictions].map((code) => ({ code: code as Evidence["code"], x: 1 })),
    ...tickEvidence(activation),
    ...timeEvidence(telemetry),
  ];
}

function tickEvidence(activation: Activation): Evidence[] {
  if (activation.kind === "code") return [{ code: "no_tick", x: 1 }];
  const found: Evidence[] = [];
  if (!activation.trusted) found.push({ code: "tick_not_trusted", x: 1 });
  // Only a mouse must move: VoiceOver, TalkBack, switch control and keys tick without any movement.
  if (activation.kind === "mouse" && activation.samples < MIN_SAMPLES)
    found.push({ code: "mouse_without_movement", x: 1 });
  if (moved(activation) && isMechanical(activation)) found.push({ code: "straight_path", x: 1 });
  if (activation.kind !== "keyboard" && activation.off_centre < 0.5)
    found.push({ code: "exact_centre", x: 1 });
  return found;
}

function timeEvidence(telemetry: Telemetry): Evidence[] {
  const { load_to_tick_ms: ms, hidden_at_tick, focused, visible, activation } = telemetry;
  const found: Evidence[] = [];
  // An invisible frame is neither focused nor visible, and its page chooses the moment.
  if (activation.kind === "code") return hidden_at_tick ? [{ code: "hidden_at_tick", x: 1 }] : [];
  if (ms < AT_ONCE_MS) found.push({ code: "tick_at_once", x: 1 });
  else if (ms < EARLY_MS) found.push({ code: "tick_early", x: 1 });
  if (hidden_at_tick) found.push({ code: "hidden_at_tick", x: 1 });
  if (visible === false) found.push({ code: "covered", x: 1 });
  if (!focused) found.push({ code: "not_focused", x: 1 });
  return found;
}

/** Plausible path, or plausible times of a finger or a key. */
export function looksHuman(telemetry: Telemetry | undefined): boolean {
  if (telemetry === undefined || telemetry.marks.length > 0 || !telemetry.activation.trusted) return false;
  const { activation } = telemetry;
  const pressed = activation.press_ms >= PRESS_MS.least && activation.press_ms <= PRESS_MS.most;
  if (activation.kind === "mouse" || activation.kind === "pen")
    return moved(activation) && !isMechanical(activation);
  return pressed && telemetry.load_to_tick_ms >= EARLY_MS;
}

const moved = ({ kind, samples }: Activation) =>
  (kind === "mouse" || kind === "pen") && samples >= MIN_SAMPLES;

const isMechanical = ({ path_ratio, speed_variation }: Activation) =>
  path_ratio < STRAIGHT_RATIO && speed_variation < CONSTANT_SPEED;
