import "../../../plugins/runtime.js";
import type { ExaminedCandidates } from "../../../compiler/which-route/examined-candidates.js";
import { ambient } from "../../abi/ambient.js";
import type { Artifact, ModuleCode, RouterRow, UpstreamTable } from "../../abi/generation.js";
import type { Credentials } from "../../abi/log.js";
import { PathFault } from "../../abi/path.js";
import type { PipelineModule } from "../../abi/route-module.js";
import { WireFault } from "../../http/fault.js";
import { parseRequestHead } from "../../http/request-head.js";
import type { GatewayExchange } from "../../proxy/exchange/exchange.js";
import { beginExchange } from "../../proxy/exchange/target.js";
import type { ExchangeSource } from "../../proxy/exchange/variables.js";
import { applyAdmission } from "../../proxy/host/admission.js";
import type { LiveGlobalRule, LiveRoute, MatchSubject } from "../../proxy/host/contract.js";
import { CredentialNames } from "../../proxy/host/credential-names.js";
import { loadModule } from "../../proxy/host/load.js";
import { ambiguityOf } from "../../proxy/host/readings.js";
import type { Explanation } from "../../proxy/router/explain.js";
import { Router } from "../../proxy/router/router.js";
import { type CaptureOptions, type CapturingGeneration, capturing } from "./captured-logs.js";
import { requestBytes, secureOf, wholeRequest } from "./exchange-bytes.js";
import type { RequestSpec } from "./exchange-spec.js";
import { explainFailures } from "./explain-failures.js";
import type { RequestEnvironment } from "./run-exchange.js";

const NOTHING = { number: 0, globalRules: [], pluginMetadata: new Map(), match: () => undefined };

export type ModuleOf = (moduleId: string) => ModuleCode | undefined;

/** Route with the results of its condition so far. */
interface Conditional {
  readonly id: string;
  readonly module: () => PipelineModule | null;
  held: boolean;
  failed: boolean;
}

/**
 * All routes of a configuration behind the gateway's own router. Finds the route of a request and loads only
 * the modules that serve it: starting a generation of 10,000 routes for each exchange would take 0.4 s.
 */
export class SimulatedGateway {
  /** Credentials of all modules: a logger also redacts those of other routes. */
  readonly credentials: Credentials;
  readonly #artifact: Artifact;
  readonly #router: Router<Conditional, MatchSubject>;
  readonly #moduleOf: ModuleOf;
  readonly #rows: ReadonlyMap<string, RouterRow>;
  readonly #upstreams: ReadonlyMap<string, UpstreamTable>;
  readonly #loaded = new Map<string, PipelineModule | null>();
  readonly #live = new Map<string, LiveRoute>();
  conditionsAsked = 0;
  #globalRules: readonly LiveGlobalRule[] | undefined;

  constructor(artifact: Artifact, credentials: readonly Credentials[], moduleOf?: ModuleOf) {
    this.#artifact = artifact;
    const modules = new Map(artifact.modules.map((text) => [text.moduleId, text]));
    this.#moduleOf = moduleOf ?? ((moduleId) => modules.get(moduleId));
    this.#rows = new Map(artifact.routes.map((row) => [row.id, row]));
    this.#upstreams = new Map(artifact.upstreams.map((table) => [table.key, table]));
    this.#router = new Router((route, x) => {
      this.conditionsAsked += 1;
      const holds = route.module()?.match?.(x) ?? true;
      if (holds) route.held = true;
      else route.failed = true;
      return holds;
    });
    for (const row of artifact.routes)
      this.#router.put(row, { id: row.id, module: this.#conditionOf(row), held: false, failed: false });
    const names = new CredentialNames();
    for (const [number, one] of credentials.entries()) names.set(String(number), one);
    this.credentials = names.names;
  }

  /** Loads the module when a request first needs the condition. */
  #conditionOf({ moduleId, hasMatch }: RouterRow): () => PipelineModule | null {
    let module: PipelineModule | null = null;
    return hasMatch ? () => (module ??= this.#load(moduleId)) : () => null;
  }

  #load(moduleId: string | null): PipelineModule | null {
    if (moduleId === null) return null;
    let module = this.#loaded.get(moduleId);
    if (module === undefined) {
      const text = this.#moduleOf(moduleId);
      module = text === undefined ? null : loadModule(text);
      this.#loaded.set(moduleId, module);
    }
    return module;
  }

  /** Returns the reason for a 400 if the normalized path is ambiguous (`ambiguityOf`). */
  matchRoute<I extends ExchangeSource>(x: GatewayExchange<I>): string | undefined {
    const match = (subject: MatchSubject) => this.#routeOf(this.#router.match(subject)?.id);
    x.route = match(x);
    if (x.readings === undefined || x.readings.length === 0) return undefined;
    this.#globalRules ??= this.#artifact.globalRules.flatMap((row) => {
      const module = this.#load(row.moduleId);
      return module === null ? [] : [{ row, module }];
    });
    return ambiguityOf(x, { globalRules: this.#globalRules, match });
  }

  #routeOf(id: string | undefined): LiveRoute | undefined {
    const row = this.#rows.get(id ?? "");
    if (row === undefined) return undefined;
    const known = this.#live.get(row.id);
    if (known !== undefined) return known;
    const load = () => this.#load(row.moduleId);
    const route = {
      ...{ row, number: 0, upstream: null },
      // Only an ambiguous path needs the module.
      get module() {
        return load();
      },
    };
    this.#live.set(row.id, route);
    return route;
  }

  /** Returns which results the `vars` of a route had for the requests so far. */
  outcomes(route: string): { held: boolean; failed: boolean } {
    const { held = false, failed = false } = this.#router.get(route) ?? {};
    return { held, failed };
  }

  /** Returns the id of the matched route; undefined without one or if the request is rejected before. */
  match(request: RequestSpec | undefined, around: RequestEnvironment): string | undefined {
    const x = probeOf(request, around);
    if ("refused" in x || this.matchRoute(x.subject) !== undefined) return undefined;
    return x.subject.route?.row.id;
  }

  verdict(route: string, request: RequestSpec | undefined, around: RequestEnvironment): string | undefined {
    const explained = this.explain(request, around);
    return "refused" in explained ? undefined : explained.candidates.find(({ id }) => id === route)?.verdict;
  }

  explain(
    request: RequestSpec | undefined,
    around: RequestEnvironment,
  ): (Explanation & { host: string; target: string }) | { refused: { status: number; reason: string } } {
    const x = probeOf(request, around);
    if ("refused" in x) return x;
    const ambiguity = this.matchRoute(x.subject);
    if (ambiguity !== undefined)
      return { refused: { status: 400, reason: `the path of the target: ${ambiguity}` } };
    return { ...this.#router.explain(x.subject), host: x.subject.host, target: x.subject.target };
  }

  weighed(
    candidates: Parameters<typeof explainFailures>[0],
    beside: ExaminedCandidates,
    [request, around]: readonly [RequestSpec, RequestEnvironment],
  ): ReturnType<typeof explainFailures> {
    const x = probeOf(request, around);
    return "refused" in x ? [...candidates] : explainFailures(candidates, beside, x.subject);
  }

  upstreamOf(route: string | undefined): UpstreamTable | undefined {
    return this.#upstreams.get(this.#rows.get(route ?? "")?.upstream ?? "");
  }

  /**
   * Serves one route, or requests without a route. Loggers redact the credentials of the whole configuration.
   * @param changed module that replaces the one with its id
   */
  serving(route: string | undefined, options: CaptureOptions, changed?: ModuleCode): CapturingGeneration {
    const { generation, records } = capturing(this.#partFor(route, changed), options);
    const { number, globalRules, pluginMetadata } = generation;
    const { credentials } = this;
    // Another reading of an ambiguous path may match a route that this part lacks.
    const match = (x: MatchSubject) => {
      const id = this.#router.match(x)?.id;
      return id === route ? generation.match(x) : this.#routeOf(id);
    };
    return { generation: { number, globalRules, pluginMetadata, credentials, match }, records };
  }

  /** Returns only the parts that a request needs: the rest may be 20,000 modules. */
  #partFor(route: string | undefined, changed: ModuleCode | undefined): Artifact {
    const { globalRules, pluginMetadata } = this.#artifact;
    const row = this.#rows.get(route ?? "");
    const table = this.upstreamOf(route);
    const moduleIds = [row?.moduleId, ...[...globalRules, ...pluginMetadata].map(({ moduleId }) => moduleId)];
    return {
      ...this.#artifact,
      routes: row === undefined ? [] : [row],
      upstreams: table === undefined ? [] : [table],
      modules: moduleIds.flatMap((moduleId) =>
        changed !== undefined && changed.moduleId === moduleId
          ? changed
          : (this.#moduleOf(moduleId ?? "") ?? []),
      ),
    };
  }
}

function probeOf(
  request: RequestSpec | undefined,
  { ends, securePort, admission, limits }: RequestEnvironment,
): { subject: GatewayExchange<ExchangeSource> } | { refused: { status: number; reason: string } } {
  const text = requestBytes(request);
  const end = text.indexOf("\r\n\r\n") + 4;
  // A real connection checks this limit before it parses the head.
  if (end > limits.headerBytes) return { refused: { status: 431, reason: "head too long" } };
  const head = parseRequestHead(text, 0, end, limits);
  if (head instanceof WireFault) return { refused: head };
  const { clientAddress } = wholeRequest(request);
  const fault = applyAdmission(head, clientAddress, admission);
  if (fault !== undefined) return { refused: fault };
  const connection = {
    remoteAddr: clientAddress,
    remotePort: ends.clientPort,
    serverAddr: ends.serverAddress,
    serverPort: request?.tls === undefined ? ends.serverPort : securePort,
    startedAt: ambient.now(),
    secure: secureOf(request),
  };
  const x = beginExchange({ head, bytesSent: 0, connection }, NOTHING, admission.pathRules);
  return x instanceof PathFault
    ? { refused: { status: 400, reason: `the path of the target: ${x.reason}` } }
    : { subject: x };
}
