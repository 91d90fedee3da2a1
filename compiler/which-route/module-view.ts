import {
  decodeMappings,
  mappingAt,
  type StatementLocation,
  type StatementQuery,
} from "../../runtime/abi/source-map.js";
import type { Inventory } from "../3-resolve/inventory.js";
import { sourceMap } from "../5-emit/source-map.js";
import type { GeneratedModule } from "../5-emit/typescript.js";
import { configPath, readOrigin } from "../model/config-path.js";
import { type Kind, type Resource, type ResourceName, singular } from "../model/resource.js";
import type { SourceLocations } from "../model/source-locations.js";
import { reportRedactor } from "../report/redact-report.js";
import type { RedactedTexts } from "../secrets/redacted-texts.js";
import { type PluginOfRoute, placeIn } from "./plugins.js";
import { type RouteInWords, type Running, routeInWords } from "./which-route-report.js";

interface MadeLines {
  /** Counted from 1; `to` is the last line. */
  from: number;
  to: number;
  address: string;
  /** "shop.yaml:31:9", or "store". */
  place: string;
}

interface MadeOf {
  address: string;
  place: string;
  value: unknown;
}

/** Plan and TypeScript of a resource, with the config path of each line. */
export interface ModuleView {
  /** Null if it only forwards and so needs no code. */
  module: { file: string; code: string; lines: MadeLines[] } | null;
  plan: unknown;
  /** Locations of all config paths: "shop.yaml:31:9", or "store". */
  places: { address: string; place: string }[];
  /** Resources that it is made from, its own first, up to `MAX_RESOURCES`. */
  configuration: MadeOf[];
  more: number;
  /** Null if it is no route. */
  route: RouteInWords | null;
  plugins: PluginOfRoute[];
}

const NO_ROUTE: Pick<ModuleView, "route" | "plugins"> = { route: null, plugins: [] };

/** Maximum resources that are listed: a route for many consumers names each of them. */
const MAX_RESOURCES = 20;

/** Redacts secrets. @returns null if there is no such resource */
export function moduleView(
  kind: Kind,
  id: string,
  { inventory, state, places }: Running,
  { secrets, open, numbers }: RedactedTexts,
): ModuleView | null {
  const plans = { routes: state.routes, global_rules: state.rules, plugin_metadata: state.metadata };
  const plan = plans[kind as keyof typeof plans]?.get(id);
  if (plan === undefined) return null;
  const module = state.modules.get(`${singular(kind)}:${id}`);
  const made = module === undefined ? null : shown(module, places);
  const addresses = new Set([...originsIn(plan), ...(made?.lines ?? []).map(({ address }) => address)]);
  const standing = [...addresses]
    .map((address) => ({ address, place: placeIn(places, address) }))
    .filter(({ address, place }) => place !== address);
  const all = madeOf({ kind, id }, addresses, inventory);
  const configuration = all.slice(0, MAX_RESOURCES).map(({ value, ...resource }): MadeOf => {
    const address = configPath(resource);
    return { address, place: placeIn(places, address), value };
  });
  const more = all.length - configuration.length;
  const inWords = kind === "routes" ? routeInWords(id, { inventory, state, places }) : NO_ROUTE;
  return reportRedactor(secrets, open, { numbers })({
    ...{ module: made, plan, places: standing, configuration, more, ...inWords },
  });
}

/** The resource itself, then those of the config paths. */
function madeOf(own: ResourceName, addresses: Iterable<string>, inventory: Inventory): Resource[] {
  const owners = [...addresses].flatMap((address) => readOrigin(address)?.owner ?? []);
  const byName = new Map([own, ...owners].map((owner) => [configPath(owner), owner]));
  return [...byName.values()].flatMap(({ kind, id }) => inventory.get(kind, id) ?? []);
}

function originsIn(plan: unknown): string[] {
  if (typeof plan !== "object" || plan === null) return [];
  return Object.entries(plan).flatMap(([name, value]) =>
    typeof value === "string" && /^origin$|Origin$/.test(name) ? [value] : originsIn(value),
  );
}

function shown(module: GeneratedModule, places: SourceLocations): NonNullable<ModuleView["module"]> {
  const { path, content } = module;
  const map = sourceMap(path, module, places, (file) => file);
  const lines: MadeLines[] = [];
  for (const { line, name } of decodeMappings(map.mappings)) {
    const address = map.names[name] ?? "";
    const last = lines[lines.length - 1];
    if (last?.address === address) last.to = line + 1;
    else lines.push({ from: line + 1, to: line + 1, address, place: placeIn(places, address) });
  }
  return { file: path, code: content, lines };
}

/** Setting of a statement in a running module; for another module the config path in the query. */
export function statementPlace(
  asked: StatementQuery,
  { state, places }: Pick<Running, "state" | "places">,
): StatementLocation {
  const { origin, file, hash } = asked;
  const noted = { address: origin, place: places.text(origin) };
  for (const module of state.modules.values()) {
    if (module.text.hash !== hash || `${module.text.file}.js` !== file) continue;
    const { mappings, names } = sourceMap(file, module, places, (name) => name);
    const address = names[mappingAt(decodeMappings(mappings), asked)?.name ?? -1];
    return address === undefined ? noted : { address, place: places.text(address) };
  }
  return noted;
}
