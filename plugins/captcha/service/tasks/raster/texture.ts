import type { Random } from "../random.js";
import type { Paint } from "./canvas.js";

const smooth = (t: number): number => t * t * (3 - 2 * t);

/** Random values on a grid, `cell` pixels apart, interpolated smoothly. */
export function mesh(random: Random, cell: number, low: number, high: number): Paint {
  const side = 64;
  const values = new Float32Array(side * side);
  for (let i = 0; i < values.length; i++) values[i] = random.between(low, high);
  // Unrolled: this is the innermost code of every picture.
  return (x, y) => {
    const u = x / cell;
    const v = y / cell;
    const i = Math.floor(u);
    const j = Math.floor(v);
    const s = smooth(u - i);
    const t = smooth(v - j);
    const row = (j & 63) * side;
    const below = ((j + 1) & 63) * side;
    const next = (i + 1) & 63;
    const column = i & 63;
    const upper = (values[row + column] as number) * (1 - s) + (values[row + next] as number) * s;
    const lower = (values[below + column] as number) * (1 - s) + (values[below + next] as number) * s;
    return upper * (1 - t) + lower * t;
  };
}

function stripes(random: Random, period: number, one: number, other: number): Paint {
  const angle = random.between(0, Math.PI);
  const [kx, ky] = [Math.cos(angle) / period, Math.sin(angle) / period];
  const share = random.between(0.38, 0.62);
  return (x, y) => {
    const t = x * kx + y * ky;
    const phase = t - Math.floor(t);
    // Edges of one pixel, so that thin stripes do not flicker.
    const edge = Math.min(phase, Math.abs(phase - share), 1 - phase) * period;
    const inside = phase < share ? 1 : 0;
    const soft = edge < 0.5 ? 0.5 + (inside - 0.5) * edge * 2 : inside;
    return other + (one - other) * soft;
  };
}

function dots(random: Random, period: number, one: number, other: number): Paint {
  const angle = random.between(0, Math.PI);
  const [cos, sin] = [Math.cos(angle) / period, Math.sin(angle) / period];
  const radius = random.between(0.26, 0.36);
  return (x, y) => {
    const [u, v] = [x * cos + y * sin, y * cos - x * sin];
    const distance = Math.hypot(u - Math.floor(u) - 0.5, v - Math.floor(v) - 0.5);
    const inside = Math.min(1, Math.max(0, (radius - distance) * period + 0.5));
    return other + (one - other) * inside;
  };
}

/** No texture means anything (WCAG 1.4.1). */
export function texture(random: Random, one: number, other: number, which: "any" | "no dots" = "any"): Paint {
  const period = random.between(9, 15);
  switch (random.integer(which === "any" ? 5 : 4)) {
    case 0:
      return () => one;
    case 1:
      return stripes(random, period, one, other);
    case 2:
      return mesh(random, 18, Math.min(one, other), Math.max(one, other));
    case 3: {
      const [across, along] = [
        stripes(random, period + 3, one, other),
        stripes(random, period + 3, one, other),
      ];
      return (x, y) => (across(x, y) + along(x, y)) / 2;
    }
    default:
      return dots(random, period + 2, one, other);
  }
}

/** 0 within gaps, 1 between them: interrupts a line about every `period` pixels unless parallel to the gaps. */
export function gaps(random: Random, period: number): Paint {
  const [off, share] = [mesh(random, period * 1.5, -0.3, 0.3), random.between(0.2, 0.26)];
  const angle = random.between(0, Math.PI);
  const [kx, ky] = [Math.cos(angle) / period, Math.sin(angle) / period];
  return (x, y) => {
    const t = x * kx + y * ky + off(x, y);
    return Math.abs(t - Math.round(t)) * 2 < share ? 0 : 1;
  };
}
