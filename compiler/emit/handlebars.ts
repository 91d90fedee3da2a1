import { createRequire } from "node:module";
import type Handlebars from "handlebars";

let library: typeof Handlebars | undefined;

/** Handlebars, loaded by the first call: 26 ms of CPU, which commands that print no module do without. */
export function handlebars(): typeof Handlebars {
  library ??= createRequire(import.meta.url)("handlebars") as typeof Handlebars;
  return library;
}
