import type { UpstreamNode } from "../../runtime/abi/generation.js";
import type { Inventory } from "../3-resolve/inventory.js";
import { matchDecisions } from "../4-plan/decisions.js";
import type { CompiledState } from "../compilation/state.js";
import { planOf } from "../model/plan.js";
import { kinds } from "../model/resource.js";
import type { SourceLocations } from "../model/source-locations.js";
import { prose } from "../prose/prose.js";
import { reportRedactor } from "../report/redact-report.js";
import type { RedactedTexts } from "../secrets/redacted-texts.js";
import { namesOfResources } from "../secrets/secret-values.js";
import { withoutAddressCredentials } from "../variables/credential-text.js";
import { type PluginOfRoute, placeIn, pluginsOfRoute } from "./plugins.js";

type Fields = [name: string, value: string][];

/** Part of a route's `vars` that does not hold. */
export interface FailedPart {
  address: string;
  /** Expectation in words: `$http_x is "a"`. */
  wanted: string;
  /** Variables that it reads, with their values; "" for none. */
  values: [variable: string, value: string][];
}

/** Result in the modules of the running generation. Texts are text; credentials of the request are masked. */
export interface RequestResult {
  generation: number;
  request: { method: string; host: string; url: string; target: string; remote_addr: string };
  /** Local reply before routing. */
  refused: { status: number; reason: string } | null;
  matched: string | null;
  /** In matching order. */
  candidates: { id: string; verdict: string; why?: string; failed?: FailedPart[] }[];
  more: number;
  upstream: {
    key: string;
    type: string;
    scheme: string;
    nodes: Pick<UpstreamNode, "host" | "port" | "weight" | "priority">[];
  } | null;
  /** Real nodes received the request. */
  live: boolean;
  /** Nodes that received it, in order; empty if there were none. */
  asked: { node: string; status: number | null; error: string | null; ms: number }[];
  upstream_request: { method: string; target: string; headers: Fields; body: string } | null;
  response: { status: number; headers: Fields; body: string } | null;
  logs: { plugin: string; key: string | null; record: unknown }[];
  /** Failures in the gateway itself, and facts that are unknown outside of a real exchange. */
  faults: string[];
}

export interface Running {
  inventory: Inventory;
  places: SourceLocations;
  state: CompiledState;
}

interface ReportedCandidate {
  id: string;
  name: string | null;
  address: string;
  /** "shop.yaml:31:9", or "store". */
  place: string;
  matches: boolean;
  /** First reason why the request does not match; null for the matching route. */
  reason: { kind: string; text: string } | null;
  failed: (FailedPart & { place: string })[];
}

export interface WhichRouteReport extends Omit<RequestResult, "candidates"> {
  candidates: ReportedCandidate[];
  /** Null if no route matches, or the route is from a build, which has no plan here. */
  route: RouteInWords | null;
  /** Plugins in the order in which they begin to run; plugins that do nothing come last. */
  plugins: PluginOfRoute[];
}

export interface RouteInWords {
  id: string;
  address: string;
  place: string;
  takes: string[];
  phases: { when: string; sentences: string[] }[];
  decisions: string[];
}

/** Adds the compiler's knowledge, and redacts secrets in all of it. */
export function whichRouteReport(
  tried: RequestResult,
  running: Running,
  { secrets, open }: RedactedTexts,
): WhichRouteReport {
  const { inventory, places } = running;
  const candidates = tried.candidates.map(({ id, verdict, why, failed = [] }): ReportedCandidate => {
    const address = `routes/${id}`;
    const { name } = (inventory.get("routes", id)?.value ?? {}) as { name?: string };
    return {
      ...{ id, name: name ?? null, address, place: placeIn(places, address) },
      matches: why === undefined,
      reason: why === undefined ? null : { kind: why, text: verdict },
      failed: failed.map((part) => ({ ...part, place: placeIn(places, part.address) })),
    };
  });
  // Redaction searches the whole text, which is cut afterwards.
  const { upstream_request, response, ...others } = reportRedactor(secrets, open, { isCut: false })(
    withoutArguments(tried, inventory),
  );
  const shown = { ...others, upstream_request: cut(upstream_request), response: cut(response) };
  const ofRoutes = reportRedactor(secrets, open, { isCut: false })({ candidates });
  return { ...shown, ...ofRoutes, ...reportRedactor(secrets, open)(routeInWords(tried.matched, running)) };
}

/** Removes query arguments that are credentials by name, whatever loggers mask. */
function withoutArguments(tried: RequestResult, inventory: Inventory): RequestResult {
  const names = namesOfResources(kinds().flatMap((kind) => [...inventory.all(kind).values()]));
  const shown = (target: string) => withoutAddressCredentials(target, names);
  const { request, upstream_request: sent } = tried;
  return {
    ...tried,
    request: { ...request, url: shown(request.url), target: shown(request.target) },
    upstream_request: sent && { ...sent, target: shown(sent.target) },
  };
}

/** Maximum characters of a body that are shown. */
const MAX_BODY = 65_536;

const cut = <T extends { body: string }>(message: T | null): T | null =>
  message && message.body.length > MAX_BODY
    ? { ...message, body: `${message.body.slice(0, MAX_BODY)}…` }
    : message;

/** @param id null for a request without route, which global rules still apply to */
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
