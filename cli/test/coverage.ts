import type { ConfigPath } from "../../compiler/model/plan.js";
import type { SourceLocations } from "../../compiler/model/source-locations.js";
import { locationsOf } from "../../compiler/model/source-locations.js";
import type { SimulatedGateway } from "../../runtime/control/in-process/simulated-gateway.js";
import type { Counts } from "./executed-code.js";
import { modulePartsOf } from "./module-parts.js";
import type { TestResult } from "./run.js";
import type { Suite } from "./suite.js";

/** Sorts line 9 before line 10. */
const byPlace = new Intl.Collator("en", { numeric: true });

/** Coverage of one kind of thing: routes, conditions or actions. */
interface Reached {
  total: number;
  reached: number;
  /** Things that no test reaches, each with its location in the configuration. */
  missed: { place: string; what: string }[];
}

export interface Coverage {
  routes: Reached;
  conditions: Reached;
  actions: Reached;
}

interface Thing {
  origin: ConfigPath;
  /** Undefined if it was reached. */
  missing: string | undefined;
}

/** Measures which routes took a request, which conditions had both results, and which actions ran. */
export function coverageOf(
  { compiled: { result } }: Suite,
  ran: readonly TestResult[],
  whole: SimulatedGateway,
  counts: ReadonlyMap<string, Counts>,
): Coverage {
  const { plan, artifact, resources = [] } = result ?? {};
  const places = locationsOf(resources);
  const taken = new Set(ran.map(({ route }) => route));
  const routes = (plan?.routes ?? []).map(({ row, origin }) => ({
    origin,
    missing: taken.has(row.id) ? undefined : `route "${row.id}" receives no request`,
  }));
  const matching = (plan?.routes ?? []).flatMap(({ row, pipeline }): Thing[] =>
    pipeline?.match == null
      ? []
      : [{ origin: `${pipeline.origin} vars`, missing: missingOutcome("vars", whole.outcomes(row.id)) }],
  );
  const inModules = (artifact?.modules ?? []).map(({ file, code }) =>
    thingsOf(code, counts.get(`${file}.js`) ?? (() => 0)),
  );
  return {
    routes: reachedOf(routes, places),
    conditions: reachedOf([...matching, ...inModules.flatMap(({ conditions }) => conditions)], places),
    actions: reachedOf(
      inModules.flatMap(({ actions }) => actions),
      places,
    ),
  };
}

function missingOutcome(what: string, { held, failed }: { held: boolean; failed: boolean }) {
  if (held && failed) return undefined;
  return !held && !failed ? `${what}: never evaluated` : `${what}: never ${held ? "false" : "true"}`;
}

/** Parts of a module; the statements of one plugin in one phase count as one action. */
function thingsOf(code: string, count: Counts): { conditions: Thing[]; actions: Thing[] } {
  const conditions: Thing[] = [];
  const actions = new Map<string, Thing>();
  for (const part of modulePartsOf(code)) {
    const runs = count(part.at);
    const { origin } = part;
    if (part.kind === "condition") {
      const into = count(part.into);
      const outcomes = { held: into > 0, failed: runs > into };
      const turned = { held: outcomes.failed, failed: outcomes.held };
      const missing = part.fails
        ? missingOutcome(origin.replace(/^.* /, "").replace(/\[.*/, ""), turned)
        : missingOutcome(part.text, outcomes);
      conditions.push({ origin, missing });
      continue;
    }
    const { plugin, phase } = part;
    const key = `${plugin} ${phase}`;
    const known = actions.get(key) ?? { origin, missing: `${plugin} never runs in ${phase}` };
    actions.set(key, runs > 0 ? { ...known, missing: undefined } : known);
  }
  return { conditions, actions: [...actions.values()] };
}

function reachedOf(things: readonly Thing[], places: SourceLocations): Reached {
  const missed = things.flatMap(({ origin, missing }) =>
    missing === undefined ? [] : [{ place: places.text(origin), what: missing }],
  );
  missed.sort((a, b) => byPlace.compare(a.place, b.place));
  return { total: things.length, reached: things.length - missed.length, missed };
}

export function joined(all: readonly Coverage[]): Coverage {
  const of = (kind: keyof Coverage): Reached => ({
    total: all.reduce((sum, one) => sum + one[kind].total, 0),
    reached: all.reduce((sum, one) => sum + one[kind].reached, 0),
    missed: all.flatMap((one) => one[kind].missed),
  });
  return { routes: of("routes"), conditions: of("conditions"), actions: of("actions") };
}

export function coverageText({ routes, conditions, actions }: Coverage): string {
  const lines = [routes, conditions, actions].flatMap(({ missed }) =>
    missed.map(({ place, what }) => `  ${place}: ${what}\n`),
  );
  const share = ({ reached, total }: Reached) => `${reached} of ${total}`;
  const head = `reached: ${share(routes)} routes, ${share(conditions)} conditions both ways, ${share(actions)} actions\n`;
  return lines.length === 0 ? head : `${head}not reached:\n${lines.join("")}`;
}
