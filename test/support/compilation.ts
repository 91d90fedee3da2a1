import { Compilation, type CompilationOptions } from "../../compiler/compilation.js";
import { typescript } from "../../compiler/emit/typescript.js";

/** Compilation without clock and without the secrets of the environment. */
export const newCompilation = (options: Partial<CompilationOptions> = {}): Compilation =>
  new Compilation({ target: typescript, ...options });
