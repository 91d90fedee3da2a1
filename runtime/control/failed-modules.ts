import { dirname, join, posix } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { CompilerThread } from "../../compiler/thread/compiler-client.js";
import { sha256 } from "../abi/hash.js";
import { loadableOf } from "../abi/loadable.js";
import { readRegularText } from "../abi/regular-file.js";
import {
  decodeMappings,
  mappingAt,
  type SourceMap,
  type StatementLocation,
  type StatementQuery,
} from "../abi/source-map.js";
import { log } from "../process/log.js";
import type { ToControl } from "../process/messages.js";
import type { ConfigSource } from "./launch-settings.js";

type Failed = ToControl & { type: "module_failed" };

/** Timeout in ms for a compiler that is busy with a reload. */
const COMPILER_MS = 2_000;

export interface FailedModulesParts {
  origin: ConfigSource;
  compiler: CompilerThread | null;
  hashOf(file: string): string | undefined;
}

/**
 * Logs a module that failed, with the file and line of the failing statement's source: from the source map
 * for a build, otherwise from the compiler. Modules and workers know only config paths.
 */
export async function tellFailedModule(failed: Failed, parts: FailedModulesParts): Promise<void> {
  const asked = failed.parts.map((part) => ({ ...part, hash: parts.hashOf(part.file) }));
  const told = await placesOf(asked, parts).catch(() => []);
  const fields = { ...failed.fields };
  asked.forEach(({ origin, file, line }, i) => {
    const { address, place } = told[i] ?? { address: origin, place: origin };
    if (place === address) return;
    if (fields["at_config"] === origin) Object.assign(fields, { at_config: place, config: address });
    const { stack } = fields;
    const frame = `, ${file}:${line}:`;
    if (typeof stack === "string")
      fields["stack"] = stack.replaceAll(`(${origin}${frame}`, () => `(${place} ${address}${frame}`);
  });
  log("module_failed", fields);
}

async function placesOf(
  asked: readonly StatementQuery[],
  { origin, compiler }: FailedModulesParts,
): Promise<StatementLocation[]> {
  const mapped = asked.map((one) => (origin.kind === "dist" ? mappedPlace(origin.path, one) : undefined));
  const unknown = (one: StatementQuery) => ({ address: one.origin, place: one.origin });
  const others = asked.filter((_, i) => mapped[i] === undefined);
  const found =
    others.length === 0 || compiler === null
      ? []
      : await Promise.race([
          compiler.statementLocations(others),
          pause(COMPILER_MS, [], { ref: false }),
        ]).catch(() => []);
  const byOther = new Map(others.map((one, i) => [one, found[i]]));
  return asked.map((one, i) => mapped[i] ?? byOther.get(one) ?? unknown(one));
}

/** Reads the source map beside the module; undefined if the build was rebuilt since the module was loaded. */
function mappedPlace(directory: string, asked: StatementQuery): StatementLocation | undefined {
  const { file, origin, hash } = asked;
  try {
    const module = readRegularText(join(directory, file.replace(/js$/, "ts")));
    if (sha256(loadableOf(module)) !== hash) return undefined;
    const map = JSON.parse(readRegularText(join(directory, `${file}.map`))) as SourceMap;
    const mappings = decodeMappings(map.mappings);
    const name = map.names.indexOf(origin);
    const found = mappingAt(mappings, asked) ?? mappings.find((mapping) => mapping.name === name);
    const source = map.sources[found?.source ?? -1];
    if (found === undefined || source === undefined) return undefined;
    // Relative to the folder of the map; a path above the build belongs to the machine that built it.
    const shown = posix.join(dirname(file), source).replace(/^(?:\.\.\/)+/, "");
    const place = `${shown}:${found.sourceLine + 1}:${found.sourceColumn + 1}`;
    return { address: map.names[found.name] ?? origin, place };
  } catch {
    return undefined;
  }
}
