import "../../plugins/runtime.js";
import type { CompileResult } from "../../compiler/index.js";
import { unitOf } from "../../compiler/plan/unit.js";
import type { Artifact, ModuleText, RouterRow, UpstreamTable } from "../../runtime/abi/generation.js";
import type { Credentials } from "../../runtime/abi/log.js";
import { PathFault } from "../../runtime/abi/path.js";
import type { PipelineModule } from "../../runtime/abi/route-module.js";
import { WireFault } from "../../runtime/http/fault.js";
import type { Limits } from "../../runtime/http/limits.js";
import { parseRequestHead } from "../../runtime/http/request-head.js";
import { beginExchange } from "../../runtime/proxy/exchange/begin.js";
import { type Admission, admit } from "../../runtime/proxy/host/admission.js";
import type { MatchSubject } from "../../runtime/proxy/host/contract.js";
import { CredentialNames } from "../../runtime/proxy/host/credential-names.js";
import { loadModule } from "../../runtime/proxy/host/load.js";
import { Router } from "../../runtime/proxy/router/router.js";
import { requestBytes, wholeRequest } from "./exchange-bytes.js";
import type { Ends } from "./serve.js";
import type { WrittenRequest } from "./written.js";

const NOTHING = { number: 0, globalRules: [], pluginMetadata: new Map(), match: () => undefined };

/** A configuration that compiled. */
export type Compiled = CompileResult & Required<Pick<CompileResult, "plan" | "artifact">>;

/**
 * All routes of a configuration behind the gateway's own router: which of them takes a request, and what of the configuration serves
 * it then. One exchange needs one route, and to begin a generation of 10,000 for each would take 0.4 s.
 */
export class WholeConfiguration {
  /** What all modules together take credentials from: a logger masks those of other routes too. */
  readonly credentials: Credentials;
  readonly #artifact: Artifact;
  readonly #router: Router<{ id: string; module: PipelineModule | null }, MatchSubject>;
  readonly #outcomes = new Map<string, { held: boolean; failed: boolean }>();
  readonly #modules: ReadonlyMap<string, ModuleText>;
  readonly #rows: ReadonlyMap<string, RouterRow>;
  readonly #upstreams: ReadonlyMap<string, UpstreamTable>;

  constructor({ plan, artifact }: Pick<Compiled, "plan" | "artifact">) {
    if (plan === undefined || artifact === undefined) throw new Error("the configuration does not compile");
    this.#artifact = artifact;
    this.#modules = new Map(artifact.modules.map((text) => [text.unit, text]));
    this.#rows = new Map(artifact.routes.map((row) => [row.id, row]));
    this.#upstreams = new Map(artifact.upstreams.map((table) => [table.key, table]));
    this.#router = new Router(({ id, module }, x) => {
      const holds = module?.match?.(x) ?? true;
      const { held, failed } = this.outcomes(id);
      this.#outcomes.set(id, { held: held || holds, failed: failed || !holds });
      return holds;
    });
    for (const row of artifact.routes) {
      const text = row.hasMatch && row.unit !== null ? this.#modules.get(row.unit) : undefined;
      this.#router.put(row, { id: row.id, module: text === undefined ? null : loadModule(text) });
    }
    const names = new CredentialNames();
    for (const pipeline of [...plan.globalRules, ...plan.routes.map((route) => route.pipeline)])
      if (pipeline !== null) names.set(unitOf(pipeline), pipeline.credentials);
    this.credentials = names.names;
  }

  /** How the `vars` of a route have come out for the requests that were asked about. */
  outcomes(route: string): { held: boolean; failed: boolean } {
    return this.#outcomes.get(route) ?? { held: false, failed: false };
  }

  /** Id of the route that takes a request; undefined when none does, or the request is refused before one is looked for. */
  match(request: WrittenRequest | undefined, around: Around): string | undefined {
    const x = probeOf(request, around);
    return x && this.#router.match(x)?.id;
  }

  /** Why a route does or does not take a request, in words; it takes a look at every route. */
  verdict(route: string, request: WrittenRequest | undefined, around: Around): string | undefined {
    const x = probeOf(request, around);
    return x && this.#router.explain(x).candidates.find(({ id }) => id === route)?.verdict;
  }

  /** What serves requests of one route, or with undefined those of none. @param changed a module in the place of its own */
  serving(route: string | undefined, changed?: ModuleText): Artifact {
    const { globalRules, pluginMetadata } = this.#artifact;
    const row = this.#rows.get(route ?? "");
    const table = this.#upstreams.get(row?.upstream ?? "");
    const units = [row?.unit, ...[...globalRules, ...pluginMetadata].map(({ unit }) => unit)];
    return {
      ...this.#artifact,
      routes: row === undefined ? [] : [row],
      upstreams: table === undefined ? [] : [table],
      modules: units.flatMap((unit) =>
        changed !== undefined && changed.unit === unit ? changed : (this.#modules.get(unit ?? "") ?? []),
      ),
    };
  }
}

/** What a request comes in with, and what it is held against. */
export interface Around {
  ends: Omit<Ends, "clientAddress">;
  admission: Admission;
  limits: Limits;
}

/** The exchange as far as a router looks at it. */
function probeOf(request: WrittenRequest | undefined, { ends, admission, limits }: Around) {
  const text = requestBytes(request);
  const head = parseRequestHead(text, 0, text.indexOf("\r\n\r\n") + 4, limits);
  if (head instanceof WireFault) return undefined;
  const { clientAddress } = wholeRequest(request);
  if (admit(head, clientAddress, admission) !== undefined) return undefined;
  const connection = {
    remoteAddr: clientAddress,
    remotePort: ends.clientPort,
    serverAddr: ends.serverAddress,
    serverPort: ends.serverPort,
    startedAt: Date.now(),
  };
  const x = beginExchange({ head, bytesSent: 0, connection }, NOTHING, admission.pathRules);
  return x instanceof PathFault ? undefined : x;
}
