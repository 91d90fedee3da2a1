import { SourceMap } from "node:module";
import { bundleMap } from "../../compiler/packages/bundle.js";

/** Maps an error of the runtime part, which runs as one bundled file, to its location in the package. */
export class RuntimeLines {
  readonly #runtime: string | undefined;
  readonly #root: string;
  #map: Promise<SourceMap | undefined> | undefined;

  /** @param runtime absolute path of the bundled module; undefined if the package has none */
  constructor(runtime: string | undefined, root: string) {
    this.#runtime = runtime;
    this.#root = root;
  }

  /** Location of the innermost frame in the package's own code: "dist/runtime.js:12". */
  async of(error: unknown): Promise<string | undefined> {
    const { stack = "" } = error instanceof Error ? error : {};
    const frames = [...stack.matchAll(/^ +at .*?file:\/\/\S*\/plugins\/[^/\s]+?:(\d+):(\d+)\)?$/gm)];
    if (this.#runtime === undefined || frames.length === 0) return undefined;
    this.#map ??= this.#loadMap(this.#runtime);
    const map = await this.#map;
    for (const [, line, column] of frames) {
      const found = map?.findEntry(Number(line) - 1, Number(column) - 1);
      if (found === undefined || !("originalSource" in found)) continue;
      if (!found.originalSource.includes("node_modules/"))
        return `${found.originalSource}:${found.originalLine + 1}`;
    }
    return undefined;
  }

  async #loadMap(runtime: string): Promise<SourceMap | undefined> {
    const text = await bundleMap(runtime, this.#root);
    return text === undefined ? undefined : new SourceMap(JSON.parse(text));
  }
}
