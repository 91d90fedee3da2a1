import type { UpstreamNode } from "../../runtime/abi/generation.js";
import { withoutAddressCredentials } from "../diagnostics/credential-text.js";
import { reportRedactor } from "../diagnostics/redact-report.js";
import type { CompiledState } from "../incremental/state.js";
import { matchDecisions } from "../plan/decisions.js";
import { planOf } from "../plan/plan-document.js";
import type { SourceLocations } from "../plan/source-locations.js";
import { prose } from "../prose/prose.js";
import type { Inventory } from "../resolve/inventory.js";
import { kinds } from "../resolve/resource.js";
import { namesOfResources } from "../secret-values.js";
import { type PluginOfRoute, pluginsOfRoute } from "./plugins.js";
import type { RedactedTexts } from "./redacted-texts.js";

/** Fields of a message in order. */
type Fields = [name: string, value: string][];

/** A part of a route's `vars` that does not hold. */
export interface FailedPart {
  /** "routes/shop vars[0]". */
  address: string;
  /** The expectation in words: `$http_x is "a"`. */
  wanted: string;
  /** Variables that it reads, with their values; "" for none. */
  values: [variable: string, value: string][];
}

/** What the modules of the running generation made of a request. Texts are text; credentials of the request are masked already. */
export interface Tried {
  generation: number;
  request: { method: string; host: string; url: string; target: string; remote_addr: string };
  /** Why the gateway answers before it looks for a route. */
  refused: { status: number; reason: string } | null;
  /** Id of the route that takes it. */
  matched: string | null;
  /** In the order of trying. */
  candidates: { id: string; verdict: string; why?: string; failed?: FailedPart[] }[];
  /** Routes that are not among the candidates because there are too many. */
  more: number;
  upstream: {
    key: string;
    type: string;
    scheme: string;
    nodes: Pick<UpstreamNode, "host" | "port" | "weight" | "priority">[];
  } | null;
  /** Real nodes were asked. */
  live: boolean;
  /** They, in order; empty where nobody was asked. */
  asked: { node: string; status: number | null; error: string | null; ms: number }[];
  upstream_request: { method: string; target: string; headers: Fields; body: string } | null;
  response: { status: number; headers: Fields; body: string } | null;
  logs: { plugin: string; key: string | null; record: unknown }[];
  /** What failed in the gateway itself, or cannot be known without its surroundings. */
  faults: string[];
}

/** The running configuration, as far as it is told of. */
export interface Running {
  inventory: Inventory;
  places: SourceLocations;
  state: CompiledState;
}

/** One route that was looked at. */
interface ToldCandidate {
  id: string;
  name: string | null;
  /** "routes/shop". */
  address: string;
  /** "shop.yaml:31:9", or "store". */
  place: string;
  matches: boolean;
  /** What the request lacks first, and in words; null for the one that takes it. */
  reason: { kind: string; text: string } | null;
  /** Parts of the condition that do not hold. */
  failed: (FailedPart & { place: string })[];
}

/** The answer of `POST /gw/admin/which_route`. */
export interface WhichRouteReport extends Omit<Tried, "candidates"> {
  candidates: ToldCandidate[];
  /** Null: no route takes it, or it is one of a build, of which no plan is kept. */
  route: RouteInWords | null;
  /** In the order in which they begin to run; those that do nothing stand last. */
  plugins: PluginOfRoute[];
}

/** What a route does. */
export interface RouteInWords {
  id: string;
  address: string;
  place: string;
  /** Which requests it takes, in sentences. */
  takes: string[];
  phases: { when: string; sentences: string[] }[];
  /** Engines of the patterns in its `vars`. */
  decisions: string[];
}

/** "store" for what no file holds. */
export const placeIn = (places: SourceLocations, address: string): string => {
  const text = places.text(address);
  return text.startsWith("admin ") ? "store" : text;
};

/** Puts what the compiler knows beside what was tried, and hides secrets in all of it. */
export function whichRouteReport(
  tried: Tried,
  running: Running,
  { secrets, open }: RedactedTexts,
): WhichRouteReport {
  const { inventory, places } = running;
  const candidates = tried.candidates.map(({ id, verdict, why, failed = [] }): ToldCandidate => {
    const address = `routes/${id}`;
    const { name } = (inventory.get("routes", id)?.value ?? {}) as { name?: string };
    return {
      ...{ id, name: name ?? null, address, place: placeIn(places, address) },
      matches: why === undefined,
      reason: why === undefined ? null : { kind: why, text: verdict },
      failed: failed.map((part) => ({ ...part, place: placeIn(places, part.address) })),
    };
  });
  // The whole text is searched, and cut afterwards.
  const { upstream_request, response, ...others } = reportRedactor(secrets, open, { isCut: false })(
    withoutArguments(tried, inventory),
  );
  const shown = { ...others, upstream_request: cut(upstream_request), response: cut(response) };
  const ofRoutes = reportRedactor(secrets, open, { isCut: false })({ candidates });
  return { ...shown, ...ofRoutes, ...reportRedactor(secrets, open)(routeInWords(tried.matched, running)) };
}

/** The trial without query arguments that are credentials by name, whatever loggers mask. */
function withoutArguments(tried: Tried, inventory: Inventory): Tried {
  const names = namesOfResources(kinds().flatMap((kind) => [...inventory.all(kind).values()]));
  const shown = (target: string) => withoutAddressCredentials(target, names);
  const { request, upstream_request: sent } = tried;
  return {
    ...tried,
    request: { ...request, url: shown(request.url), target: shown(request.target) },
    upstream_request: sent && { ...sent, target: shown(sent.target) },
  };
}

/** Characters of a body that are shown. */
const MAX_BODY = 65_536;

const cut = <T extends { body: string }>(message: T | null): T | null =>
  message && message.body.length > MAX_BODY
    ? { ...message, body: `${message.body.slice(0, MAX_BODY)}…` }
    : message;

/** What a route does, in sentences, and its plugins after merging. @param id null: no route, whose requests global rules meet all the same */
export function routeInWords(
  id: string | null,
  { inventory, places, state }: Running,
): Pick<WhichRouteReport, "route" | "plugins"> {
  const planned = state.routes.get(id ?? "");
  const rules = [...state.rules.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const [file] = planned ? prose.emit(planOf({ globalRules: rules, routes: [planned] })) : [];
  const route = planned &&
    file && {
      id: planned.row.id,
      address: planned.origin,
      place: placeIn(places, planned.origin),
      takes: file.route.takes,
      phases: file.route.phases,
      decisions: planned.pipeline
        ? matchDecisions(planned.pipeline).map(({ field, text }) => `${field}: ${text}`)
        : [],
    };
  const pipelines = [...rules, planned?.pipeline ?? null];
  return { route: route ?? null, plugins: pluginsOfRoute(id, pipelines, { inventory, places }) };
}
