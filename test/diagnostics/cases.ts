import "../../plugins/index.js";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readSources } from "../../compiler/1-parse/files.js";
import { typescript } from "../../compiler/5-emit/typescript.js";
import { Compilation } from "../../compiler/compilation/compilation.js";
import { sortDiagnostics } from "../../compiler/diagnostics/collector.js";
import { compile } from "../../compiler/index.js";
import type { Change, StoredResource } from "../../compiler/model/input.js";
import { adminPath } from "../../compiler/model/resource.js";
import type { SourceText } from "../../compiler/model/source.js";
import { renderText } from "../../compiler/report/text.js";
import { secretSpans } from "../../compiler/secrets/secret-spans.js";

export const CASES = fileURLToPath(new URL("./cases/", import.meta.url));

/** Parts of the compiler that print a case, from the sources or a build. */
const SOURCES = {
  ...{ adminPath, Compilation, compile, readSources, renderText, secretSpans, sortDiagnostics, typescript },
};
export type CaseCompiler = typeof SOURCES;

/** Time of the checks in seconds since the epoch: 2027-01-01T00:00:00Z. */
const NOW = 1_798_761_600;

/** Returns the names of the cases without extension: "GW2107-body-and-filters". */
export function caseNames(): string[] {
  return [...new Set(readdirSync(CASES).map((entry) => entry.replace(/\.(?:yaml|json|out)$/, "")))].sort();
}

/**
 * Returns the output of `gwc check` for one case. A case is `<name>.yaml` or `<name>.json`, whose first line
 * may set variables (`# env: A=1 B=2`), or a directory of configuration files with optional `stored.json`
 * (resources of the store), `writes.json` (changes of the admin API, whose diagnostics are printed) and
 * `paths.json` (arguments of the command line).
 * @param compiler default: that of the sources
 */
export function runCase(name: string, compiler: CaseCompiler = SOURCES): string {
  const directory = join(CASES, name);
  const whole = existsSync(directory) && statSync(directory).isDirectory();
  const extra = <T>(file: string, otherwise: T): T => {
    const path = join(directory, file);
    return whole && existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : otherwise;
  };
  const stored = extra<StoredResource[]>("stored.json", []);
  const writes = extra<Change[] | undefined>("writes.json", undefined);
  const own = /^(?:stored|writes|paths)\.json$/;
  const paths = extra(
    "paths.json",
    whole ? readdirSync(directory).filter((file) => !own.test(file)) : [fileOf(name)],
  );
  const read = compiler.readSources(paths, whole ? directory : CASES);
  const input = { sources: read.sources, stored, environment: environmentOf(read.sources), now: NOW };
  const found =
    writes === undefined
      ? compiler.compile(input).diagnostics
      : written(compiler, input, writes, name.startsWith("GW3016"));
  const bodies = (writes ?? []).flatMap((change) => ("put" in change ? [bodyOf(compiler, change.put)] : []));
  const sources = [...read.sources, ...bodies];
  return compiler.renderText(compiler.sortDiagnostics([...read.diagnostics, ...found]), {
    sources,
    masks: compiler.secretSpans(sources, input.environment),
  });
}

function written(
  compiler: CaseCompiler,
  input: Parameters<typeof compile>[0],
  writes: Change[],
  needsSecrets: boolean,
) {
  const compilation = new compiler.Compilation({ target: compiler.typescript, now: () => NOW, needsSecrets });
  compilation.load(input);
  return compilation.write(writes).diagnostics;
}

function bodyOf(
  compiler: CaseCompiler,
  { kind, id, text, method = "PUT" }: Extract<Change, { put: object }>["put"],
): SourceText {
  return { name: `${method} /gw/admin/${compiler.adminPath(kind)}/${id}`, text, format: "json" };
}

function fileOf(name: string): string {
  return existsSync(join(CASES, `${name}.yaml`)) ? `${name}.yaml` : `${name}.json`;
}

function environmentOf(sources: readonly SourceText[]): Record<string, string> {
  const settings = sources.flatMap(({ text }) => /^# env: (.*)/.exec(text)?.[1]?.split(" ") ?? []);
  return Object.fromEntries(settings.map((setting) => setting.split(/=(.*)/s).slice(0, 2)));
}
