import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtFile } from "../../../../runtime/abi/plugin-api.js";

export interface BuiltFile {
  /** Name with its hash: "box.0123456789abcdef.js". */
  file: string;
  sha256: string;
  /** Value for `integrity="…"` of a script tag. */
  integrity: string;
  /** Plain, gzip level 9, brotli quality 11. */
  bytes: number;
  gzip: number;
  brotli: number;
}

export type BuiltName = "captcha.js" | "box.js" | "task.js" | "pow.js" | "memory.js" | "box.css" | "task.css";

export interface WidgetManifest {
  version: string;
  files: Record<BuiltName, BuiltFile>;
}

/** @throws Error if nothing was built */
export function widgetFolder(): string {
  const manifest = builtFile(new URL("../../widget/assets/manifest.json", import.meta.url));
  if (!existsSync(manifest)) throw new Error("the widget is not built: run `npm run build`");
  return fileURLToPath(new URL(".", manifest));
}

export function widgetManifest(folder: string = widgetFolder()): WidgetManifest {
  return JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as WidgetManifest;
}
