import type {
  CreateSimulator,
  Observation,
  RunnableSide,
  SampleRequest,
  Which,
} from "../../../compiler/diff/simulator.js";
import type { PlannedPipeline } from "../../../compiler/model/plan.js";
import { type Ambient, replaceAmbient } from "../../abi/ambient.js";
import { resolvedText } from "../../abi/environment.js";
import type { UpstreamTable } from "../../abi/generation.js";
import { flattened } from "../../abi/json-object.js";
import { separatorOf } from "../../abi/text/field.js";
import type { RequestSpec, ShippedRecord } from "./exchange-spec.js";
import { type RequestEnvironment, requestEnvironment, runExchange, withTimeout } from "./run-exchange.js";
import { SimulatedGateway } from "./simulated-gateway.js";
import { WIRE_HEADERS } from "./wire-message.js";

/** Arbitrary fixed time: 2026-01-01T00:00:00Z. */
const NOW = Date.UTC(2026, 0, 1);
/** Monotonic clock of the process in ms. */
const MONOTONIC = 1_000_000;
const DIGITS = "00112233445566778899aabbccddeeff";

/** Fixed clocks and random numbers, so that two sides differ only by their configurations. */
const fixedAmbient = (chance: number): Ambient => ({
  now: () => NOW,
  monotonic: () => MONOTONIC,
  random: () => chance,
  hex: (bytes) => DIGITS.repeat(Math.ceil((2 * bytes) / DIGITS.length)).slice(0, 2 * bytes),
  pid: () => 1,
});

/** Fields of records that depend on the machine or the process. */
const UNCERTAIN = /^(?:record_id|server\.hostname)$/;
/** Random number of a sample request that sets none. */
const ANY_CHANCE = 0.5;
/** Timeout in ms: a simulated exchange takes a millisecond, and one that waits will never end. */
const LONGEST_MS = 2_000;

const text = (bytes: string) => Buffer.from(bytes, "latin1").toString("utf8");
const lines = (fields: SampleRequest["headers"]) => fields.map(([name, value]) => text(`${name}: ${value}`));

/** Environment in which a variable that is not set has the same value on both sides. */
const environment = new Proxy<Record<string, string | undefined>>(
  {},
  { get: (_, name) => process.env[String(name)] ?? "unset.invalid", has: () => true },
);

class Running {
  readonly #side: RunnableSide;
  readonly #whole: SimulatedGateway;
  readonly #around: ReturnType<typeof requestEnvironment>;
  /** Ids of routes with plugins that may need a network. */
  readonly #foreign: ReadonlySet<string>;
  readonly #rulesAreForeign: boolean;

  constructor(side: RunnableSide, deployment: unknown) {
    this.#side = side;
    const { plan, foreign } = side;
    this.#whole = new SimulatedGateway(side.artifact, side.credentials, side.moduleOf);
    this.#around = requestEnvironment(deployment, environment);
    const isForeign = (steps: PlannedPipeline["steps"] = []) =>
      steps.some(({ plugin }) => foreign.has(plugin));
    this.#foreign = new Set(
      plan.routes.filter(({ pipeline }) => isForeign(pipeline?.steps)).map(({ row }) => row.id),
    );
    this.#rulesAreForeign = plan.globalRules.some(({ steps }) => isForeign(steps));
  }

  match(probe: SampleRequest): string | undefined {
    return this.#whole.match(requestOf(probe), this.#requestEnvironment(probe));
  }

  get conditionsAsked(): number {
    return this.#whole.conditionsAsked;
  }

  /** Reports whether the port of a request fits its scheme; false if settings use it for the other one. */
  listensFor({ port, tls }: SampleRequest): boolean {
    const { plain, secure } = this.#around.ports;
    return port === undefined || !(tls === undefined ? secure : plain).includes(port);
  }

  #requestEnvironment({ clientPort, serverAddress, port, tls }: SampleRequest): RequestEnvironment {
    const { ends, securePort } = this.#around;
    const own = {
      clientPort: clientPort ?? ends.clientPort,
      serverAddress: serverAddress ?? ends.serverAddress,
      serverPort: port ?? (tls === undefined ? ends.serverPort : securePort),
    };
    return { ...this.#around, ends: own, securePort: own.serverPort };
  }

  /** @throws Error for code that needs its environment */
  async observe(probe: SampleRequest): Promise<Observation | undefined> {
    const route = this.match(probe);
    if (this.#rulesAreForeign || (route !== undefined && this.#foreign.has(route))) return undefined;
    const { generation, records } = this.#whole.serving(route, {
      environment,
      secret: (reference) => this.#side.secrets.get(reference) ?? resolvedText(reference, environment),
      report: () => {},
    });
    const { status, headers, body } = probe.upstream;
    const exchange = {
      request: requestOf(probe),
      upstream: { status, headers: lines(headers), body: text(body) },
    };
    const { ends, admission, limits } = this.#requestEnvironment(probe);
    const seen = await runExchange(generation, exchange, ends, { admission, limits });
    const shipped = await records();
    const upstream = seen.upstreamRequest && nodesOf(this.#whole.upstreamOf(route));
    return {
      route: route ?? null,
      upstream: upstream ?? null,
      status: seen.response.status,
      seen: new Map([...messageFields(seen, upstream), ...shipped.flatMap(recordFields)]),
    };
  }
}

function requestOf(probe: SampleRequest): RequestSpec {
  const { method, target, host, headers, client, http, body, tls } = probe;
  return {
    ...{ method, target: text(target), host: text(host), headers: lines(headers), from: client },
    ...(http !== undefined && { http }),
    ...(tls !== undefined && { tls }),
    ...(body !== "" && { body: text(body) }),
  };
}

function nodesOf(table: UpstreamTable | undefined): string {
  const nodes = (table?.nodes ?? []).filter(({ weight }) => weight > 0);
  return nodes
    .map(({ host, port }) => `${table?.scheme}://${host}:${port}`)
    .sort()
    .join(", ");
}

function messageFields(
  { upstreamRequest, response }: Awaited<ReturnType<typeof runExchange>>,
  upstream: string | undefined,
): [string, string][] {
  return [
    ["response status", String(response.status)],
    ["response body", response.body],
    ...headerFields("response header", response.headers),
    ...(upstreamRequest === undefined
      ? []
      : ([
          ["upstream", upstream ?? ""],
          ["upstream request method", upstreamRequest.method],
          ["upstream request target", upstreamRequest.target],
          ["upstream request body", upstreamRequest.body],
          ...headerFields("upstream request header", upstreamRequest.headers),
        ] as [string, string][])),
  ];
}

/** Groups values by lower-case name, since neither case nor the order of names matters. */
function headerFields(kind: string, headers: readonly (readonly [string, string])[]): [string, string][] {
  const values = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (!WIRE_HEADERS.includes(lower)) values.set(lower, [...(values.get(lower) ?? []), value]);
  }
  return [...values].map(([name, all]) => [`${kind} ${name}`, all.join(separatorOf(name))]);
}

function recordFields({ plugin, record, key }: ShippedRecord): [string, string][] {
  const fields = flattened(record)
    .filter(([path]) => !UNCERTAIN.test(path))
    .map(([path, value]): [string, string] => [`${plugin} record${path === "" ? "" : ` ${path}`}`, value]);
  return [...fields, ...(key === undefined ? [] : [[`${plugin} key`, key] as [string, string]])];
}

const fixed = ({ chance = ANY_CHANCE }: SampleRequest) => replaceAmbient(fixedAmbient(chance));

export const createSimulator: CreateSimulator = (before, after, credentials) => {
  const running: Record<Which, Running> = {
    before: new Running(before, before.deployment ?? after.deployment),
    after: new Running(after, after.deployment ?? before.deployment),
  };
  const isPossible = (probe: SampleRequest) =>
    running.before.listensFor(probe) && running.after.listensFor(probe);
  return {
    credentials,
    conditionsAsked: () => running.before.conditionsAsked + running.after.conditionsAsked,
    match(which, probe) {
      if (!isPossible(probe)) return null;
      const restore = fixed(probe);
      try {
        return running[which].match(probe) ?? null;
      } finally {
        restore();
      }
    },
    async observe(which, probe) {
      if (!isPossible(probe)) return undefined;
      const restore = fixed(probe);
      try {
        return await withTimeout(running[which].observe(probe), LONGEST_MS);
      } catch {
        // A request that cannot be simulated is no example.
        return undefined;
      } finally {
        restore();
      }
    },
  };
};
