import type { Random } from "../random.js";
import { curve, type Line, moved, placed, solid, stroked } from "../raster/geometry.js";

/** One thing of a scene in scene coordinates: pixels of the layout around its middle. */
interface Thing {
  faces: Line[];
  tone: number;
  opacity: number;
}

export interface Scene {
  things: Thing[];
}

/** Bold bands and bodies across the whole disc: what continues from one piece to the next is seen at a glance. */
export function newScene(radius: number, random: Random): Scene {
  const things: Thing[] = [];
  const turned = random.between(0, 360);
  const bands = 5 + random.integer(2);
  for (let i = 0; i < bands; i++) {
    const offset = random.between(-0.75, 0.75) * radius;
    const bend = random.between(-0.35, 0.35) * radius;
    const angle = turned + (i * 180) / bands + random.between(-14, 14);
    const line = curve(24, (t) => [(t * 2 - 1) * radius * 1.1, offset + bend * Math.sin(t * Math.PI)]);
    const tone = i % 2 ? random.between(0.02, 0.25) : random.between(0.8, 1);
    things.push({
      faces: stroked(moved(line, placed(angle, 1, 0, 0)), random.between(6, 15)),
      ...{ tone, opacity: 1 },
    });
  }
  const bodies = 5 + random.integer(3);
  for (let i = 0; i < bodies; i++) {
    const distance = random.between(0.3, 0.8) * radius;
    const at = placed((360 / bodies) * i + random.between(-20, 20), 1, 0, 0);
    const size = random.between(0.13, 0.26) * radius;
    const corners = random.float() < 0.5 ? 40 : 3 + random.integer(3);
    const turn = random.between(0, 6.28);
    const body = curve(corners, (t) => [
      distance + size * Math.cos(turn + t * Math.PI * 2),
      size * Math.sin(turn + t * Math.PI * 2),
    ]);
    things.push({ faces: [solid(moved(body, at))], tone: random.between(0.05, 0.95), opacity: 0.92 });
  }
  return { things: random.shuffled(things) };
}
