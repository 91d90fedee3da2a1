import type { NamedPackage } from "../compiler/model/package.js";
import { visible } from "../runtime/abi/text/unseen.js";
import { failed, printJson } from "./output.js";
import "../plugins/index.js";
import { readSources } from "../compiler/1-parse/files.js";
import { CATALOGUE } from "../compiler/diagnostics/catalogue/index.js";
import { loadPackages } from "../compiler/packages/load.js";
import { namedPackages } from "../compiler/packages/named.js";
import { presentPaths } from "./paths.js";

/** Prints one diagnostic, or lists all, also those of packages that files name. */
export async function explain(
  code: string | undefined,
  options: { format: string; config?: string[] },
): Promise<number> {
  // Packages load slowly, and the diagnostics of gwc itself need none.
  const isOwn = code === undefined ? !options.config : Object.hasOwn(CATALOGUE, code.toUpperCase());
  let named: NamedPackage[] = [];
  if (!isOwn) {
    const { sources } = readSources(presentPaths(options.config ?? []));
    named = namedPackages(sources, process.env);
    await loadPackages(named);
  }
  const codes = Object.keys(CATALOGUE).sort();
  if (code === undefined) {
    const list = codes.map((key) => ({
      code: key,
      severity: CATALOGUE[key]?.severity,
      summary: CATALOGUE[key]?.summary,
    }));
    const text = () =>
      list.map((row) => `${row.code}  ${row.severity?.padEnd(7)}  ${row.summary}`).join("\n");
    if (options.format === "json") printJson(list);
    else process.stdout.write(`${visible(text())}\n`);
    return 0;
  }
  const wanted = code.toUpperCase();
  const entry = CATALOGUE[wanted];
  if (!entry) {
    const near = codes.filter((key) => key.slice(0, 4) === wanted.slice(0, 4)).slice(0, 5);
    const meant = near.length > 0 ? `similar codes: ${near.join(", ")}` : whereDiagnosticsAre(wanted, named);
    return failed(`unknown diagnostic ${code}${meant === "" ? "" : `; ${meant}`}`, 2);
  }
  const text = () => `${wanted} (${entry.severity}): ${entry.summary}\n\n${entry.explain.trim()}`;
  if (options.format === "json") printJson({ code: wanted, ...entry });
  else process.stdout.write(`${visible(text())}\n`);
  return 0;
}

/** Hint for an unknown code: it may belong to a package, and only a configuration names the packages. */
function whereDiagnosticsAre(code: string, named: readonly NamedPackage[]): string {
  if (/^GW\d/.test(code)) return "";
  if (named.length > 0) return `neither gwc nor ${named.map(({ name }) => name).join(" nor ")} defines it`;
  return "for a code of a package, run in the folder of a configuration that names the package, or give --config FILE";
}
