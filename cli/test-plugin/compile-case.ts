import "../../plugins/index.js";
import { basename, dirname } from "node:path";
import { type CompileResult, compile } from "../../compiler/index.js";
import type { Diagnostic } from "../../compiler/model/diagnostic.js";

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

export const errorsOf = (diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  diagnostics.filter(({ severity }) => severity === "error");
