import type { Random } from "../tasks/random.js";

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

/** Reads after the insert; they append numbers to the row's answer in this order. */
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

/** A piece of layout, its reads, and the answer of every engine. */
export interface Row {
  /** Coordinates of reads are relative to it or to a part of it. */
  root: Part;
  reads: readonly Read[];
  /** Result of a closed formula from the row's numbers, never of trying a browser. */
  answer: readonly number[];
  /** No length, which zoom and device pixels may move by one. */
  isExact?: true;
  rules?: string;
  /** Length that an earlier answer may set. */
  length?: { of: Part; property: string; px: number };
}

/** @param name makes a class name that no other row has */
export type MakeRow = (random: Random, name: () => string) => Row;

/** New strings each time took a fifth of a program's time in the writer's table. */
const LENGTHS: readonly string[] = Array.from({ length: 512 }, (_, length) => `${length}px`);
export const px = (length: number): string => LENGTHS[length] ?? `${length}px`;

export const boxes = (base: Part, what: string, ...parts: readonly Part[]): Read[] =>
  parts.map((of) => ({ op: "box", of, base, what }));
