import type { ExaminedCandidates } from "../../../compiler/which-route/examined-candidates.js";
import type { FailedPart, RequestResult } from "../../../compiler/which-route/which-route-report.js";
import { accessLine } from "../../logging/access-line.js";
import type { GatewayExchange } from "../../proxy/exchange/exchange.js";
import type { ExchangeSource } from "../../proxy/exchange/variables.js";
import { loadModule } from "../../proxy/host/load.js";
import { Router } from "../../proxy/router/router.js";

type Probe = GatewayExchange<ExchangeSource>;
type Candidates = RequestResult["candidates"];

/** Maximum length of a shown value in characters. */
const LONGEST = 200;

/** Adds the failed parts of `vars` to candidates, and disabled routes after all that match host and path. */
export function explainFailures(
  candidates: Candidates,
  { conditions, disabled }: ExaminedCandidates,
  x: Probe,
): Candidates {
  const failed = new Map(conditions.map(({ route, parts }) => [route, failedOf(parts, x)]));
  const told = candidates.map((one) => {
    const lacks = one.why === "condition" ? failed.get(one.id) : undefined;
    return lacks === undefined || lacks.length === 0
      ? one
      : { ...one, verdict: wordsOf(lacks), failed: lacks };
  });
  const isMisplaced = ({ why }: Candidates[number]) => why === "host" || why === "path";
  const at = told.findIndex(isMisplaced);
  const first = at < 0 ? told.length : at;
  const off = disabled.map((row) => offOf(row, x));
  return [
    ...told.slice(0, first),
    ...off.flatMap(({ why, ...one }) => (isMisplaced({ ...one, why }) ? [] : { ...one, why: "disabled" })),
    ...told.slice(first),
    ...off.flatMap(({ why, ...one }) => (isMisplaced({ ...one, why }) ? { ...one, why: "disabled" } : [])),
  ];
}

function failedOf(parts: ExaminedCandidates["conditions"][number]["parts"], x: Probe): FailedPart[] {
  return parts
    .filter(({ module }) => loadModule(module).match?.(x) === false)
    .map(({ address, words, variables }) => ({
      ...{ address, wanted: words },
      values: variables.map((name): [string, string] => [name, valueIn(name, x)]),
    }));
}

function valueIn(name: string, x: Probe): string {
  const text = accessLine(`\${${name}}`, "json")(x, LONGEST);
  return text.replace(/\\u00([0-9a-f]{2})|\\(.)/gi, (_, hex: string | undefined, character: string) =>
    hex === undefined ? character : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function wordsOf(failed: readonly FailedPart[]): string {
  const of = ({ wanted, values }: FailedPart) => {
    const there = values.map(([name, value]) =>
      value === "" ? `$${name} is absent or empty` : `$${name} is ${JSON.stringify(value)}`,
    );
    return `${wanted}, but ${there.join(", ")}`;
  };
  return `its vars are not met: ${failed.map(of).join("; ")}`;
}

/** Returns the verdict on a disabled route as if it were enabled and the only one. */
function offOf(row: ExaminedCandidates["disabled"][number], x: Probe): Candidates[number] {
  const router = new Router<string, Probe>(() => true);
  router.put(row, row.id);
  const [one] = router.explain(x).candidates;
  const lacks = one?.why === undefined ? "" : `, and ${one.verdict}`;
  return { id: row.id, verdict: `it is disabled${lacks}`, ...(one?.why !== undefined && { why: one.why }) };
}
