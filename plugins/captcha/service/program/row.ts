import type { SeededRandom } from "./seed.js";

/** An element of a row. */
export interface Part {
  /** Default: div. */
  tag?: string;
  svg?: boolean;
  css?: Readonly<Record<string, string>>;
  attributes?: Readonly<Record<string, string>>;
  text?: string;
  parts?: readonly Part[];
  /** Children inside the element's own shadow root. */
  shadow?: readonly Part[];
}

/** Reads of a row after the insert. They append numbers to the row's answer in this order. */
export type Read =
  | { op: "box"; of: Part; base: Part; what: string }
  | { op: "rectangles" | "words" | "length" | "shape"; of: Part }
  | { op: "computed"; of: Part; property: string; pseudo?: string }
  | { op: "hit"; base: Part; x: number; y: number; among: readonly Part[] }
  | { op: "scroll"; of: Part; top: number }
  | {
      op: "animate";
      of: Part;
      property: string;
      ends: readonly [string, string];
      easing: string;
      duration: number;
      time: number;
    }
  | { op: "path"; data: string; x: number; y: number }
  | { op: "point"; of: Part; at: number };

/** A row of a program: a piece of layout, its reads, and the answer of every engine. */
export interface Row {
  /** Coordinates of reads are relative to it or to a part of it. */
  root: Part;
  reads: readonly Read[];
  /** Computed by a closed formula from the row's numbers, never by trying a browser. */
  answer: readonly number[];
  /** true if the answers are lengths: zoom and device pixels may move them by one. Others are exact. */
  lengths: boolean;
  /** Rules of the sheet, if the row needs some. */
  rules?: string;
  /** The length that an earlier answer may set. */
  length?: { of: Part; property: string; px: number };
}

/** Makes a row with numbers from the seed. @param name makes a class name that no other row has */
export type MakeRow = (random: SeededRandom, name: () => string) => Row;

/** Computed once: new strings each time took a fifth of a program's time in the writer's table. */
const LENGTHS: readonly string[] = Array.from({ length: 512 }, (_, length) => `${length}px`);
export const px = (length: number): string => LENGTHS[length] ?? `${length}px`;

/** Reads of the same side or position of several parts. */
export const boxes = (base: Part, what: string, ...parts: readonly Part[]): Read[] =>
  parts.map((of) => ({ op: "box", of, base, what }));
