import type { Delta } from "../../runtime/abi/generation.js";
import type { Compilation } from "../compilation/compilation.js";
import type { CompiledState } from "../compilation/state.js";
import type { Change } from "../model/input.js";
import { reportRedactor } from "../report/redact-report.js";
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
 * @returns the affected parts before and after; undefined if the changes are invalid
 * @throws OutOfTimeError as `Compilation.write`
 */
export function draftOf(
  compilation: Compilation,
  changes: readonly Change[],
  context: DraftContext,
): Drafted | undefined {
  const drafted = bothSides(compilation, changes, (): Seen => {
    const { state, inventory } = compilation.running;
    return {
      state: copied(state),
      clients: clientsIn(inventory),
      secrets: state.secrets(),
      hidden: context.hidden(),
    };
  });
  if (drafted === undefined) return undefined;
  const { before, after, delta } = drafted;
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
    hidden: ofBoth(before.hidden, after.hidden),
  };
}

/**
 * Compiles changes and rolls them back.
 * @param look reads one side; it must copy what changes in place
 * @returns undefined if the changes are invalid
 * @throws OutOfTimeError as `Compilation.write`
 */
function bothSides<T>(
  compilation: Compilation,
  changes: readonly Change[],
  look: (delta: Delta) => T,
): { before: T; after: T; delta: Delta } | undefined {
  const { delta, rollback } = compilation.write(changes);
  if (delta === undefined) return undefined;
  const after = look(delta);
  rollback();
  return { before: look(delta), after, delta };
}

const ofBoth = (before: RedactedTexts, after: RedactedTexts): RedactedTexts => ({
  secrets: [...new Set([...before.secrets, ...after.secrets])],
  open: [...new Set([...before.open, ...after.open])],
  numbers: [...new Set([...before.numbers, ...after.numbers])],
});

interface Seen extends Omit<DraftedSide, "plan"> {
  state: ReturnType<typeof copied>;
  hidden: RedactedTexts;
}

export interface DraftedModules {
  /** Addresses ("routes/orders"), that of the written resource first; at most `MOST`. */
  list: string[];
  total: number;
  /** One of them; null if there is none. */
  module: {
    address: string;
    /** TypeScript with secrets masked; null if this side has no module. */
    before: string | null;
    after: string | null;
    cut: boolean;
  } | null;
}

const MOST = 100;
/** Maximum characters of a module: 2,000 lines. */
const LONGEST = 131_072;

const KINDS: Readonly<Record<string, string>> = {
  route: "routes",
  global_rule: "global_rules",
  plugin_metadata: "plugin_metadata",
};

/** Returns "routes/orders" for "route:orders". */
function addressOf(moduleId: string): string {
  const colon = moduleId.indexOf(":");
  return `${KINDS[moduleId.slice(0, colon)]}/${moduleId.slice(colon + 1)}`;
}

/**
 * @param of resource of the returned module. Default: the first
 * @returns undefined if the changes are invalid
 * @throws OutOfTimeError as `Compilation.write`
 */
export function draftModules(
  compilation: Compilation,
  changes: readonly Change[],
  of: string | undefined,
  hidden: () => RedactedTexts,
): DraftedModules | undefined {
  const drafted = bothSides(compilation, changes, (delta) => {
    const moduleIds = unitsIn(delta, changes);
    const moduleId = [...moduleIds].find(([address]) => address === of) ?? [...moduleIds][0];
    return {
      ...{ moduleIds, moduleId, hidden: hidden() },
      code: moduleId && compilation.running.state.modules.get(moduleId[1])?.content,
    };
  });
  if (drafted === undefined) return undefined;
  const { before, after } = drafted;
  const { moduleIds, moduleId } = after;
  const { secrets, open } = ofBoth(before.hidden, after.hidden);
  const hide = reportRedactor(secrets, open);
  const shown = (code: string | undefined) => code?.slice(0, LONGEST) ?? null;
  const cut = [before, after].some(({ code = "" }) => code.length > LONGEST);
  const told = hide({ before: before.code, after: after.code });
  return {
    list: [...moduleIds.keys()].slice(0, MOST),
    total: moduleIds.size,
    module:
      moduleId === undefined
        ? null
        : { address: moduleId[0], before: shown(told.before), after: shown(told.after), cut },
  };
}

/** Module ids by address, those of written resources first. */
function unitsIn({ modules }: Delta, changes: readonly Change[]): Map<string, string> {
  const written = changes.map((change) => {
    const { kind, id } = "put" in change ? change.put : change.remove;
    return `${kind}/${id}`;
  });
  const moduleIds = [...modules.put.map(({ moduleId }) => moduleId), ...modules.remove];
  const rank = (address: string) => (written.includes(address) ? 0 : 1);
  return new Map(
    moduleIds
      .map((moduleId): [string, string] => [addressOf(moduleId), moduleId])
      .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1)),
  );
}
