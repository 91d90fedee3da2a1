import type { ControlCompiler } from "./compiler.js";

export class KnownPlugins {
  readonly names = new Set<string>();
  readonly #compiler: ControlCompiler | null;

  constructor(compiler: ControlCompiler | null) {
    this.#compiler = compiler;
  }

  /** Adds the plugins of packages once the compiler has loaded them; none if the compiler failed. */
  async learn(): Promise<void> {
    const found = await this.#compiler?.plugins().catch(() => []);
    for (const { name } of found ?? []) this.names.add(name);
  }
}
