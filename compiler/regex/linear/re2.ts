import { createRequire } from "node:module";

let library: typeof import("re2js") | undefined;

/**
 * Compiles a pattern with re2js, which is loaded with the first one that needs it (it takes 20 ms).
 * @throws Error where it refuses the pattern
 */
export function compileRe2(source: string): void {
  library ??= createRequire(import.meta.url)("re2js") as typeof import("re2js");
  library.RE2JS.compile(source);
}
