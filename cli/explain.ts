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
  const entries = Object.entries(CATALOGUE).sort(([one], [other]) => (one < other ? -1 : 1));
  if (code === undefined) {
    const list = entries.map(([key, { severity, summary }]) => ({ code: key, severity, summary }));
    const lines = list.map((row) => `${row.code}  ${row.severity.padEnd(7)}  ${row.summary}\n`);
    if (options.format === "json") printJson(list);
    else process.stdout.write(visible(lines.join("")));
    return 0;
  }
  const wanted = code.toUpperCase();
  const entry = CATALOGUE[wanted];
  if (!entry) {
    const codes = entries.map(([key]) => key);
    const near = codes.filter((key) => key.slice(0, 4) === wanted.slice(0, 4)).slice(0, 5);
    const meant = near.length > 0 ? `similar codes: ${near.join(", ")}` : whereDiagnosticsAre(wanted, named);
    return failed(`unknown diagnostic ${code}${meant === "" ? "" : `; ${meant}`}`, 2);
  }
  const { severity, summary, explain: text } = entry;
  if (options.format === "json") printJson({ code: wanted, ...entry });
  else process.stdout.write(visible(`${wanted} (${severity}): ${summary}\n\n${text.trim()}\n`));
  return 0;
}

/** Hint for an unknown code: it may belong to a package, and only a configuration names the packages. */
function whereDiagnosticsAre(code: string, named: readonly NamedPackage[]): string {
  if (/^GW\d/.test(code)) return "";
  if (named.length > 0) return `neither gwc nor ${named.map(({ name }) => name).join(" nor ")} defines it`;
  return "for a code of a package, run in the folder of a configuration that names the package, or give --config FILE";
}
