import type { Span } from "../diagnostics/diagnostic.js";

/** Largest source in characters: 10,000 routes with plugins are about 2 million, and YAML takes about 0.5 s a million. */
export const MAX_SOURCE = 32_000_000;

/** One text to compile. `name` is what diagnostics print: a path relative to the working directory. */
export interface SourceText {
  name: string;
  text: string;
  format: "yaml" | "json";
  /** Absolute folder of the file; absent: it is no file, and can name no packages. */
  folder?: string;
}

/** Keys and indices from the root of a value to one of its parts. */
export type Path = readonly (string | number)[];

/** Finds the place of each part of a parsed value. */
export interface Spans {
  /** Span of the value at `path`; of the nearest parent that has one when the path does not exist. */
  value(path: Path): Span;
  /** Span of the key that leads to `path`; of the value when it is an array item. */
  key(path: Path): Span;
  /** The same spans seen from `path` as the new root. */
  below(path: Path): Spans;
}

/** A plain JSON value and where its parts stand. */
export interface Spanned<T = unknown> {
  value: T;
  spans: Spans;
  /** The way there from the root of its text; default: it is the whole. */
  at?: Path;
}
