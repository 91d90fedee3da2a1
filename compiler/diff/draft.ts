import type { Compilation } from "../compilation/compilation.js";
import type { CompiledState } from "../compilation/state.js";
import type { Change } from "../model/input.js";
import type { RedactedTexts } from "../secrets/redacted-texts.js";
import {
  clientsIn,
  type Drafted,
  type DraftedSide,
  inOrder,
  MAX_ROUTES,
  othersOf,
  type Routes,
  sideOf,
  touchedBy,
} from "./drafted.js";

export interface DraftContext {
  hidden(): RedactedTexts;
  deployment: unknown;
}

/** Copies the current state, which changes in place. */
const copied = ({ routes, rules, metadata, tables, pluginTables }: CompiledState) => ({
  routes: new Map(routes),
  rules: new Map(rules),
  metadata: new Map(metadata),
  tables: new Map(tables),
  pluginTables: new Map(pluginTables),
});

/**
 * Compiles changes and rolls them back.
 * @returns the affected parts before and after; undefined if the changes are invalid
 * @throws OutOfTimeError as `Compilation.write`
 */
export function draftOf(
  compilation: Compilation,
  changes: readonly Change[],
  context: DraftContext,
): Drafted | undefined {
  const { delta, rollback } = compilation.write(changes);
  if (delta === undefined) return undefined;
  const seen = (): Seen => {
    const { state, inventory } = compilation.running;
    return {
      state: copied(state),
      clients: clientsIn(inventory),
      secrets: state.secrets(),
      hidden: context.hidden(),
    };
  };
  const after = seen();
  rollback();
  const before = seen();
  const touched = touchedBy(delta, [before.state, after.state]);
  const [written] = changes.map((change) => ("put" in change ? change.put : change.remove));
  const ids = inOrder(touched.routes, written?.kind === "routes" ? written.id : undefined);
  const compared = ids.slice(0, MAX_ROUTES);
  const others = othersOf(compared, before.state.routes, after.state.routes);
  const side = ({ state, clients, secrets }: Seen): DraftedSide => {
    const plan = sideOf(state, [...compared, ...others], touched);
    return { plan, clients, secrets };
  };
  const nameOf = (id: string, routes: Routes) => routes.get(id)?.row.name;
  const isBuilt = [...compilation.running.inventory.all("routes").values()].some(
    ({ from }) => from === "build",
  );
  return {
    before: side(before),
    after: side(after),
    touched: compared.map((id) => ({
      id,
      name: nameOf(id, after.state.routes) ?? nameOf(id, before.state.routes) ?? null,
    })),
    total: ids.length,
    all: touched.all,
    ofBuild: isBuilt,
    deployment: context.deployment,
    hidden: {
      secrets: [...new Set([...before.hidden.secrets, ...after.hidden.secrets])],
      open: [...new Set([...before.hidden.open, ...after.hidden.open])],
      numbers: [...new Set([...before.hidden.numbers, ...after.hidden.numbers])],
    },
  };
}

interface Seen extends Omit<DraftedSide, "plan"> {
  state: ReturnType<typeof copied>;
  hidden: RedactedTexts;
}
