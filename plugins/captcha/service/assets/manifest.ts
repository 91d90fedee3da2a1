import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtFile } from "../../../../runtime/abi/built-file.js";

/** One file of the widget as `widget/build.mjs` wrote it. */
export interface BuiltFile {
  /** Name that contains the hash: "box.0123456789abcdef.js". */
  file: string;
  /** Hexadecimal. */
  sha256: string;
  /** For `integrity="…"` of a script tag. */
  integrity: string;
  /** Sizes in bytes: plain, gzip level 9, brotli quality 11. */
  bytes: number;
  gzip: number;
  brotli: number;
}

export type BuiltName = "captcha.js" | "box.js" | "task.js" | "pow.js" | "memory.js" | "box.css" | "task.css";

export interface WidgetManifest {
  /** Version of the package. */
  version: string;
  files: Record<BuiltName, BuiltFile>;
}

/**
 * Absolute path of the built widget.
 * @throws Error if nothing was built
 */
export function widgetFolder(): string {
  const manifest = builtFile(new URL("../../widget/assets/manifest.json", import.meta.url));
  if (!existsSync(manifest)) throw new Error("the widget is not built: run `npm run build`");
  return fileURLToPath(new URL(".", manifest));
}

/** Also the source of the integrity value that the command line prints (A80). */
export function widgetManifest(folder: string = widgetFolder()): WidgetManifest {
  return JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as WidgetManifest;
}
