import type { Telemetry } from "../protocol.js";
import type { SignalCode } from "./model.js";

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
export function browserEvidence(telemetry: Telemetry | undefined): SignalCode[] {
  if (telemetry === undefined) return ["telemetry_missing"];
  const { marks, contradictions, activation } = telemetry;
  return [...marks, ...contradictions, ...tickEvidence(activation), ...timeEvidence(telemetry)];
}

function tickEvidence(activation: Activation): SignalCode[] {
  if (activation.kind === "code") return ["no_tick"];
  const found: SignalCode[] = [];
  if (!activation.trusted) found.push("tick_not_trusted");
  // Only a mouse must move: VoiceOver, TalkBack, switch control and keys tick without any movement.
  if (activation.kind === "mouse" && activation.samples < MIN_SAMPLES) found.push("mouse_without_movement");
  if (moved(activation) && isMechanical(activation)) found.push("straight_path");
  if (activation.kind !== "keyboard" && activation.off_centre < 0.5) found.push("exact_centre");
  return found;
}

function timeEvidence(telemetry: Telemetry): SignalCode[] {
  const { load_to_tick_ms: ms, hidden_at_tick, focused, visible, activation } = telemetry;
  const found: SignalCode[] = [];
  // An invisible frame is neither focused nor visible, and its page chooses the moment.
  if (activation.kind === "code") return hidden_at_tick ? ["hidden_at_tick"] : [];
  if (ms < AT_ONCE_MS) found.push("tick_at_once");
  else if (ms < EARLY_MS) found.push("tick_early");
  if (hidden_at_tick) found.push("hidden_at_tick");
  if (visible === false) found.push("covered");
  if (!focused) found.push("not_focused");
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
