import { typescript } from "../../compiler/5-emit/typescript.js";
import { Compilation, type CompilationOptions } from "../../compiler/compilation/compilation.js";

/** Compilation without clock and without the secrets of the environment. */
export const newCompilation = (options: Partial<CompilationOptions> = {}): Compilation =>
  new Compilation({ target: typescript, ...options });
