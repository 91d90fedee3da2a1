import "../plugins/index.js";
import { CATALOGUE } from "../compiler/diagnostics/catalogue/index.js";

/** `gwc explain [GWnnnn]`: the long help of one finding, or the list of all. */
export async function explain(code: string | undefined, options: { format: string }): Promise<number> {
  const codes = Object.keys(CATALOGUE).sort();
  if (code === undefined) {
    const list = codes.map((key) => ({
      code: key,
      severity: CATALOGUE[key]?.severity,
      summary: CATALOGUE[key]?.summary,
    }));
    const text = () =>
      list.map((row) => `${row.code}  ${row.severity?.padEnd(7)}  ${row.summary}`).join("\n");
    process.stdout.write(`${options.format === "json" ? JSON.stringify(list, null, 2) : text()}\n`);
    return 0;
  }
  const wanted = code.toUpperCase();
  const entry = CATALOGUE[wanted];
  if (!entry) {
    const near = codes.filter((key) => key.slice(0, 4) === wanted.slice(0, 4)).slice(0, 5);
    process.stderr.write(
      `gwc: there is no finding ${code}${near.length > 0 ? `; near it: ${near.join(", ")}` : ""}\n`,
    );
    return 2;
  }
  const text = () => `${wanted} (${entry.severity}): ${entry.summary}\n\n${entry.explain.trim()}`;
  process.stdout.write(
    `${options.format === "json" ? JSON.stringify({ code: wanted, ...entry }, null, 2) : text()}\n`,
  );
  return 0;
}
