import "../../plugins/index.js";
import { basename, dirname } from "node:path";
import { parseSource } from "../../compiler/1-parse/parse.js";
import { type CompileResult, compile } from "../../compiler/index.js";
import type { Diagnostic, Position } from "../../compiler/model/diagnostic.js";
import type { Path, Spanned, Spans } from "../../compiler/model/source.js";
import { isObject } from "../../runtime/abi/json-object.js";

export interface Place {
  name: string;
  folder: string;
}

export const placeOf = (root: string): Place => ({ name: `./${basename(root)}`, folder: dirname(root) });

/** Result of a compile, and the text that the spans of its diagnostics refer to. */
export interface CompiledCase extends CompileResult {
  text: string;
}

export function compileWithPackage(place: Place, configuration: object, file: string): CompiledCase {
  const text = JSON.stringify({ ...configuration, plugins: [place.name] });
  const source = { name: file, text, format: "json" as const, folder: place.folder };
  return { ...compile({ sources: [source], environment: process.env }), text };
}

/**
 * Line in YAML for a diagnostic of a copy of it, which is JSON with other values.
 * @param copy the text that was compiled
 * @param written spans of the YAML
 */
export function lineInYaml({ span }: Diagnostic, copy: string, written: Spans): number | undefined {
  if (span === undefined) return undefined;
  const { document } = parseSource({ name: span.file, text: copy, format: "json" });
  const found = document && partAt(document, span.start);
  if (found === undefined) return undefined;
  return (found.isKey ? written.key(found.path) : written.value(found.path)).start.line;
}

/** The smallest part of a document that contains a position. */
function partAt({ value, spans }: Spanned, at: Position): { path: Path; isKey: boolean } {
  let path: Path = [];
  let part = value;
  for (;;) {
    const names = Array.isArray(part) ? part.keys() : isObject(part) ? Object.keys(part) : [];
    let next: string | number | undefined;
    for (const name of names) {
      const below = [...path, name];
      if (!Array.isArray(part) && holds(spans.key(below), at)) return { path: below, isKey: true };
      if (holds(spans.value(below), at)) next = name;
    }
    if (next === undefined) return { path, isKey: false };
    path = [...path, next];
    part = (part as Record<string | number, unknown>)[next];
  }
}

const holds = ({ start, end }: { start: Position; end: Position }, at: Position) =>
  !isBefore(at, start) && isBefore(at, end);

const isBefore = (a: Position, b: Position) => a.line < b.line || (a.line === b.line && a.column < b.column);
