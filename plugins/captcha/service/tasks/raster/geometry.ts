/** x0, y0, x1, y1, …: closed if it bounds a face, open if it is stroked. */
export type Line = readonly number[];

/** x' = a·x + c·y + e, y' = b·x + d·y + f */
export interface Affine {
  a: number;
  b: number;
  c: number;
  d: number;
  e: number;
  f: number;
}

/** Rotates clockwise (y points down) by degrees, scales, then moves. */
export function placed(degrees: number, scale: number, x: number, y: number, stretch = 1): Affine {
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const a = cos * scale * stretch;
  const b = sin * scale * stretch;
  return { a, b, c: -sin * scale, d: cos * scale, e: x, f: y };
}

export function moved(line: Line, { a, b, c, d, e, f }: Affine): number[] {
  const out = new Array<number>(line.length);
  for (let i = 0; i < line.length; i += 2) {
    const [x, y] = [line[i] as number, line[i + 1] as number];
    out[i] = a * x + c * y + e;
    out[i + 1] = b * x + d * y + f;
  }
  return out;
}

/** t = 0..1. */
export function curve(steps: number, at: (t: number) => readonly [number, number]): number[] {
  const out: number[] = [];
  for (let i = 0; i <= steps; i++) {
    const point = at(i / steps);
    out.push(point[0], point[1]);
  }
  return out;
}

/** Degrees clockwise from three o'clock. */
export function arc(x: number, y: number, rx: number, ry: number, from: number, to: number): number[] {
  const steps = Math.max(6, Math.ceil(Math.abs(to - from) / 7));
  const out: number[] = [];
  for (let i = 0; i <= steps; i++) {
    const angle = ((from + (to - from) * (i / steps)) * Math.PI) / 180;
    out.push(x + rx * Math.cos(angle), y + ry * Math.sin(angle));
  }
  return out;
}

export const circle = (x: number, y: number, r: number): number[] => arc(x, y, r, r, 0, 360);

/** Faces are filled where the windings of all lines do not cancel out. */
export function hole(line: Line): number[] {
  const out: number[] = [];
  for (let i = line.length - 2; i >= 0; i -= 2) out.push(line[i] as number, line[i + 1] as number);
  return out;
}

/** Twice the area, positive if clockwise on the screen. */
function area(line: Line): number {
  let sum = 0;
  for (let i = 0; i < line.length; i += 2) {
    const j = (i + 2) % line.length;
    sum += (line[i] as number) * (line[j + 1] as number) - (line[j] as number) * (line[i + 1] as number);
  }
  return sum;
}

/** One direction for all, so that overlapping faces join. */
export const solid = (line: Line): number[] => (area(line) < 0 ? hole(line) : [...line]);

/** Circle that is round enough for the end of a line. */
function joint(x: number, y: number, r: number): number[] {
  const out = JOINT.slice();
  for (let i = 0; i < out.length; i += 2) {
    out[i] = x + r * (out[i] as number);
    out[i + 1] = y + r * (out[i + 1] as number);
  }
  return out;
}
const JOINT = Array.from({ length: 40 }, (_, i) => {
  const angle = ((i >> 1) * Math.PI) / 10;
  return i % 2 === 0 ? Math.cos(angle) : Math.sin(angle);
});

/** Round pen: one face for each piece and one for each bend. */
export function stroked(line: Line, width: number): number[][] {
  const faces: number[][] = [];
  const half = width / 2;
  const points = line.length / 2;
  for (let i = 0; i < points; i++) {
    const [x, y] = [line[i * 2] as number, line[i * 2 + 1] as number];
    faces.push(joint(x, y, half));
    const next = i + 1;
    if (next === points) break;
    const [x1, y1] = [line[next * 2] as number, line[next * 2 + 1] as number];
    const length = Math.hypot(x1 - x, y1 - y);
    if (length === 0) continue;
    const [nx, ny] = [(-(y1 - y) / length) * half, ((x1 - x) / length) * half];
    faces.push(solid([x + nx, y + ny, x1 + nx, y1 + ny, x1 - nx, y1 - ny, x - nx, y - ny]));
  }
  return faces;
}
