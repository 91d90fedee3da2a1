import type { Observation, Probe, Trial, Which } from "../../compiler/diff/probe.js";
import { flattened } from "../../compiler/diff/values.js";
import { resolvedText } from "../../runtime/abi/environment.js";
import type { Artifact, ModuleText, RouterRow, UpstreamTable } from "../../runtime/abi/generation.js";
import { pathRulesFrom, type WrittenPathRules } from "../../runtime/abi/path.js";
import type { PipelineModule } from "../../runtime/abi/route-module.js";
import { type Admission, STRANGERS, type Underscores } from "../../runtime/proxy/host/admission.js";
import { loadModule } from "../../runtime/proxy/host/load.js";
import { Router } from "../../runtime/proxy/router/router.js";
import { capturing } from "../in-process/captured-logs.js";
import { happened } from "../in-process/happened.js";
import { OF_THE_WIRE } from "../in-process/of-the-wire.js";
import { syntheticRequest } from "../synthetic-request.js";
import { credentialsOf } from "./credentials.js";
import type { Side } from "./side.js";

const ENDS = { clientPort: 40_000, serverAddress: "127.0.0.1", serverPort: 9_080 };
/** Fields of records that only a clock or a machine can know. */
const UNCERTAIN = /time|latency|record_id|hostname/;
/** An exchange without a network takes a millisecond; one that waits waits for what is not there. */
const LONGEST_MS = 2_000;

type Subject = Exclude<ReturnType<typeof syntheticRequest>, string>;
type Row = { row: RouterRow; module: PipelineModule | null };

/** Texts are byte strings here, and text in what is written. */
const text = (bytes: string) => Buffer.from(bytes, "latin1").toString("utf8");

/** A side whose modules can be asked. */
class Running {
  readonly #side: Side;
  readonly #modules: ReadonlyMap<string, ModuleText>;
  readonly #upstreams: ReadonlyMap<string, UpstreamTable>;
  readonly #router: Router<Row, Subject>;
  readonly #admission: Admission;
  /** Routes, by id, with plugins that may want a network. */
  readonly #foreign: ReadonlySet<string>;
  readonly #rulesAreForeign: boolean;

  constructor(side: Side, deployment: unknown) {
    this.#side = side;
    const { artifact, plan, foreign } = side;
    this.#modules = new Map(artifact.modules.map((module) => [module.unit, module]));
    this.#upstreams = new Map(artifact.upstreams.map((table) => [table.key, table]));
    this.#admission = admissionFrom(deployment);
    this.#router = new Router<Row, Subject>(({ module }, subject) => module?.match?.(subject) ?? true);
    for (const row of artifact.routes) {
      const module = row.hasMatch && row.unit !== null ? this.#modules.get(row.unit) : undefined;
      this.#router.put(row, { row, module: module === undefined ? null : loadModule(module) });
    }
    const isForeign = (steps: readonly { plugin: string }[] = []) =>
      steps.some(({ plugin }) => foreign.has(plugin));
    this.#foreign = new Set(
      plan.routes.filter(({ pipeline }) => isForeign(pipeline?.steps)).map(({ row }) => row.id),
    );
    this.#rulesAreForeign = plan.globalRules.some(({ steps }) => isForeign(steps));
  }

  row(probe: Probe): RouterRow | undefined {
    const described = {
      method: probe.method,
      url: probe.target,
      headers: [`Host: ${probe.host}`, ...probe.headers.map(([name, value]) => `${name}: ${value}`)],
      client: probe.client,
    };
    const subject = syntheticRequest(described, this.#admission.pathRules);
    return typeof subject === "string" ? undefined : this.#router.match(subject)?.row;
  }

  /** @throws Error for what runs only with its surroundings */
  async observe(probe: Probe): Promise<Observation | undefined> {
    const row = this.row(probe);
    if (this.#rulesAreForeign || (row !== undefined && this.#foreign.has(row.id))) return undefined;
    const environment = new Proxy<Record<string, string | undefined>>(
      {},
      {
        get: (_, name) => process.env[String(name)] ?? "unset.invalid",
        has: () => true,
      },
    );
    const { generation, records } = capturing(this.#artifactFor(row), {
      environment,
      secret: (reference) => this.#side.secrets.get(reference) ?? resolvedText(reference, environment),
      report: () => {},
    });
    const seen = await happened(
      generation,
      {
        request: {
          method: probe.method,
          target: text(probe.target),
          host: text(probe.host),
          headers: probe.headers.map(([name, value]) => text(`${name}: ${value}`)),
          from: probe.client,
          ...(probe.body !== "" && { body: text(probe.body) }),
        },
        upstream: {
          status: probe.upstream.status,
          headers: probe.upstream.headers.map(([name, value]) => text(`${name}: ${value}`)),
          body: text(probe.upstream.body),
        },
      },
      ENDS,
      { admission: this.#admission },
    );
    const shipped = await records();
    const upstream = seen.upstreamRequest && this.#nodesOf(row);
    return {
      route: row?.id ?? null,
      upstream: upstream ?? null,
      status: seen.response.status,
      seen: new Map([...messageFields(seen, upstream), ...shipped.flatMap(recordFields)]),
    };
  }

  /** Only what the request meets is loaded: the rest may be 20,000 modules. */
  #artifactFor(row: RouterRow | undefined): Artifact {
    const { artifact } = this.#side;
    const units = new Set([
      ...artifact.globalRules.map(({ unit }) => unit),
      ...artifact.pluginMetadata.map(({ unit }) => unit),
      ...(row?.unit == null ? [] : [row.unit]),
    ]);
    const table = row?.upstream == null ? undefined : this.#upstreams.get(row.upstream);
    return {
      ...artifact,
      routes: row === undefined ? [] : [row],
      upstreams: table === undefined ? [] : [table],
      modules: [...units].flatMap((unit) => this.#modules.get(unit) ?? []),
    };
  }

  #nodesOf(row: RouterRow | undefined): string {
    const table = row?.upstream == null ? undefined : this.#upstreams.get(row.upstream);
    const nodes = (table?.nodes ?? []).filter(({ weight }) => weight > 0);
    return nodes
      .map(({ host, port }) => `${table?.scheme}://${host}:${port}`)
      .sort()
      .join(", ");
  }
}

function admissionFrom(deployment: unknown): Admission {
  const { gw = {} } = (deployment ?? {}) as {
    gw?: { path?: WrittenPathRules; underscores_in_headers?: Underscores; allow_trace?: boolean };
  };
  return {
    ...STRANGERS,
    pathRules: pathRulesFrom(gw.path),
    underscores: gw.underscores_in_headers,
    allowTrace: gw.allow_trace,
  };
}

function messageFields(
  { upstreamRequest, response }: Awaited<ReturnType<typeof happened>>,
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

/** By lower-case name, since neither case nor the order of names means anything. */
function headerFields(kind: string, headers: readonly (readonly [string, string])[]): [string, string][] {
  const values = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (!OF_THE_WIRE.includes(lower)) values.set(lower, [...(values.get(lower) ?? []), value]);
  }
  return [...values].map(([name, all]) => [`${kind} ${name}`, all.join(", ")]);
}

function recordFields({
  plugin,
  record,
  key,
}: {
  plugin: string;
  record: unknown;
  key?: string | undefined;
}): [string, string][] {
  const fields = flattened(record)
    .filter(([path]) => !UNCERTAIN.test(path))
    .map(([path, value]): [string, string] => [`${plugin} record${path === "" ? "" : ` ${path}`}`, value]);
  return [...fields, ...(key === undefined ? [] : [[`${plugin} key`, key] as [string, string]])];
}

/** Both sides, compiled modules and all, without a network. */
export function trialOf(before: Side, after: Side): Trial {
  const running: Record<Which, Running> = {
    before: new Running(before, before.deployment ?? after.deployment),
    after: new Running(after, after.deployment ?? before.deployment),
  };
  return {
    credentials: credentialsOf(before, after),
    match: (which, probe) => running[which].row(probe)?.id ?? null,
    observe: async (which, probe) => {
      try {
        return await inTime(running[which].observe(probe));
      } catch {
        // What cannot be tried here is no example.
        return undefined;
      }
    },
  };
}

async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), LONGEST_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
