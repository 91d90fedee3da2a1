import { dirname, join, posix } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sha256 } from "../abi/hash.js";
import { loadableOf } from "../abi/loadable.js";
import { readRegularText } from "../abi/regular-file.js";
import { decodeMappings, type SourceMap } from "../abi/source-map.js";
import { log } from "../process/log.js";
import type { ToControl } from "../process/messages.js";
import type { FailedPart } from "../proxy/host/module-origin.js";
import type { ControlCompiler } from "./compiler.js";
import type { Origin } from "./launch-settings.js";

type Failed = ToControl & { type: "module_failed" };

/** A compiler that is at work on a reload is not waited for longer. */
const COMPILER_MS = 2_000;

export interface FailedModulesParts {
  origin: Origin;
  compiler: ControlCompiler | null;
  /** sha256 of a live module by its file, "routes/shop.js". */
  hashOf(file: string): string | undefined;
}

/**
 * Writes the log line of a module that failed, with the file and line that the failing statement comes from: of a build
 * by the module's source map, else by the compiler. Modules and workers know addresses in the configuration alone.
 */
export async function tellFailedModule(failed: Failed, parts: FailedModulesParts): Promise<void> {
  const places = await placesOf(failed.parts, parts).catch(() => new Map<string, string>());
  const fields = { ...failed.fields };
  for (const [origin, place] of places) {
    if (fields["at_config"] === origin) Object.assign(fields, { at_config: place, config: origin });
    const { stack } = fields;
    if (typeof stack === "string")
      fields["stack"] = stack.replaceAll(`(${origin}, `, `(${place} ${origin}, `);
  }
  log("module_failed", fields);
}

async function placesOf(
  failed: readonly FailedPart[],
  { origin, compiler, hashOf }: FailedModulesParts,
): Promise<Map<string, string>> {
  const places = new Map<string, string>();
  if (origin.kind === "dist")
    for (const part of failed) {
      const place = mappedPlace(origin.path, part, hashOf(part.file));
      if (place !== undefined) places.set(part.origin, place);
    }
  const others = failed.map((part) => part.origin).filter((name) => !places.has(name));
  if (others.length === 0 || compiler === null) return places;
  const found = await Promise.race([compiler.places(others), pause(COMPILER_MS, [], { ref: false })]);
  found.forEach((place, i) => {
    const name = others[i];
    if (name !== undefined && place !== name) places.set(name, place);
  });
  return places;
}

/**
 * By the map beside the module. A build that was rebuilt and not loaded yet says nothing about what runs.
 * @returns "conf.d/shop.yaml:31:9", undefined where no map tells
 */
function mappedPlace(directory: string, { file, origin }: FailedPart, live?: string): string | undefined {
  try {
    const module = readRegularText(join(directory, file.replace(/js$/, "ts")));
    if (sha256(loadableOf(module)) !== live) return undefined;
    const map = JSON.parse(readRegularText(join(directory, `${file}.map`))) as SourceMap;
    const name = map.names.indexOf(origin);
    const found = decodeMappings(map.mappings).find((mapping) => mapping.name === name);
    const source = map.sources[found?.source ?? -1];
    if (found === undefined || source === undefined) return undefined;
    // From the folder of the map; what leads above the build is of the machine that built it.
    const shown = posix.join(dirname(file), source).replace(/^(?:\.\.\/)+/, "");
    return `${shown}:${found.sourceLine + 1}:${found.sourceColumn + 1}`;
  } catch {
    return undefined;
  }
}
