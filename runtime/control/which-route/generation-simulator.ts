import type { WhichRouteRequest } from "../../../compiler/which-route/request.js";
import type { RequestResult } from "../../../compiler/which-route/which-route-report.js";
import type { Credentials } from "../../abi/log.js";
import { CredentialMasks } from "../../logging/credential-masks.js";
import "../../../plugins/runtime.js";
import type { ExaminedCandidates } from "../../../compiler/which-route/examined-candidates.js";
import { messageOf } from "../../abi/error-message.js";
import type { UpstreamTable } from "../../abi/generation.js";
import type { PluginFile } from "../../abi/plugin-bundle.js";
import type { Limits } from "../../http/limits.js";
import { admissionOf } from "../../process/data-plane.js";
import { GenerationReader, linesIn, readRange } from "../../process/generation-log.js";
import type { AdmissionSettings, FileRange } from "../../process/messages.js";
import { loadPluginFiles } from "../../process/plugin-files.js";
import { FilterThread } from "../../proxy/host/filter-thread.js";
import type { Observed, RequestSpec, ShippedRecord } from "../in-process/exchange-spec.js";
import { LiveUpstream } from "../in-process/live-upstream.js";
import { type RequestEnvironment, runExchange, withTimeout } from "../in-process/run-exchange.js";
import { SimulatedGateway } from "../in-process/simulated-gateway.js";

export interface SimulatedRequest {
  /** Number of the committed generation, which `log` holds. */
  generation: number;
  log: FileRange;
  plugins: readonly PluginFile[];
  asked: WhichRouteRequest;
  /** Finished simulation whose candidates get new verdicts, with the examined conditions. */
  weigh?: { tried: RequestResult; beside: ExaminedCandidates };
  live: boolean;
  credentials: readonly Credentials[];
  admission: AdmissionSettings;
  limits: Limits;
  ports: { plain: number; secure: number };
}

export type SimulatorReply = { tried: RequestResult } | { fault: string };

/** Timeout in ms: an exchange without a network takes a millisecond, and one that waits will never end. */
const LONGEST_MS = 2_000;
/** Timeout in ms with real nodes; a longer one would delay the next callers. */
const MAX_LIVE_MS = 10_000;
/** Maximum number of candidates in a response; those that match host and path come first. */
const MAX_CANDIDATES = 100;
const CLIENT_PORT = 40_000;
/** Events that are faults of the gateway; a failed upstream is none. */
const FAULTS: ReadonlySet<string> = new Set(["module_failed", "impossible_event"]);

const text = (bytes: string) => Buffer.from(bytes, "latin1").toString("utf8");

/** Simulates requests in the running generation, read as workers do: the log, and what is appended later. */
export class GenerationSimulator {
  #reader = new GenerationReader();
  #file = "";
  #read = 0;
  #whole: { generation: number; configuration: SimulatedGateway } | undefined;

  async reply(trial: SimulatedRequest): Promise<SimulatorReply> {
    try {
      return { tried: await this.#run(trial) };
    } catch (error) {
      return { fault: messageOf(error) };
    }
  }

  /** @throws Error if the generation is unreadable */
  async #run(trial: SimulatedRequest): Promise<RequestResult> {
    const { asked, admission, limits, ports } = trial;
    await loadPluginFiles(trial.plugins);
    const whole = this.#configuration(trial);
    const around: RequestEnvironment = {
      ends: { clientPort: CLIENT_PORT, serverAddress: "127.0.0.1", serverPort: ports.plain },
      securePort: ports.secure,
      admission: admissionOf(admission),
      limits,
    };
    const request = requestOf(asked);
    const masks = masksOf(whole.credentials, asked);
    if (trial.weigh !== undefined) {
      const { tried, beside } = trial.weigh;
      const all = whole.weighed(tried.candidates, beside, [request, around]);
      return { ...tried, ...firstOf(masks.hidden(all), tried.more) };
    }
    const explained = whole.explain(request, around);
    const told = toldRequest(asked);
    const empty = { upstream: null, upstream_request: null, response: null, logs: [], faults: [] };
    const nothing = { live: trial.live, asked: [], ...empty };
    if ("refused" in explained) {
      const { status, reason } = explained.refused;
      const refused = { status, reason };
      return masked({ ...nothing, ...told, ...UNMATCHED, generation: trial.generation, refused }, masks);
    }
    const { matched, candidates, host, target } = explained;
    const seen = await observed(whole, { request, trial, around, matched });
    const tried = {
      ...nothing,
      generation: trial.generation,
      request: { ...told.request, host: text(host), target: text(target) },
      refused: null,
      matched,
      ...firstOf(candidates, 0),
      upstream: upstreamOf(whole.upstreamOf(matched ?? undefined)),
      ...seen,
    };
    return masked(tried, masks);
  }

  #configuration({ generation, log, credentials }: SimulatedRequest): SimulatedGateway {
    if (this.#whole?.generation !== generation) {
      this.#readOn(log);
      if (this.#reader.content.number !== generation) {
        this.#file = "";
        this.#readOn(log);
      }
      if (this.#reader.content.number !== generation)
        throw new Error("the generation changed meanwhile, repeat the request");
      const artifact = this.#reader.content.artifact();
      this.#whole = { generation, configuration: new SimulatedGateway(artifact, credentials) };
    }
    return this.#whole.configuration;
  }

  #readOn({ file, length }: FileRange): void {
    if (this.#file !== file || length < this.#read) {
      this.#reader = new GenerationReader();
      this.#file = file;
      this.#read = 0;
    }
    const more = readRange({ file, offset: this.#read, length: length - this.#read });
    for (const line of linesIn(more)) this.#reader.read(line);
    this.#read = length;
  }
}

const firstOf = (
  candidates: RequestResult["candidates"],
  left: number,
): Pick<RequestResult, "candidates" | "more"> => ({
  candidates: candidates.slice(0, MAX_CANDIDATES),
  more: left + Math.max(0, candidates.length - MAX_CANDIDATES),
});

const UNMATCHED = { matched: null, candidates: [], more: 0 };

function requestOf(asked: WhichRouteRequest): RequestSpec {
  const { method, target, host, headers, body, clientAddress, secure } = asked;
  const named = headers.some((line) => /^host\s*:/i.test(line));
  return {
    ...{ method, target, headers, from: clientAddress },
    ...(!named && { host: host ?? "localhost" }),
    ...(body !== "" && { body }),
    ...(secure && { tls: true as const }),
  };
}

function toldRequest(asked: WhichRouteRequest): Pick<RequestResult, "request"> {
  const { method, target, host, headers, clientAddress } = asked;
  const named = headers.find((line) => /^host\s*:/i.test(line))?.replace(/^[^:]*:\s*/, "");
  const shown = named ?? host ?? "localhost";
  return { request: { method, host: shown, url: target, target, remote_addr: clientAddress } };
}

function upstreamOf(table: UpstreamTable | undefined): RequestResult["upstream"] {
  if (table === undefined) return null;
  const { key, type, scheme, nodes } = table;
  return { key, type, scheme, nodes };
}

/** Runs the exchange and returns its messages and records; errors are added to the faults. */
async function observed(
  whole: SimulatedGateway,
  {
    request,
    trial,
    around,
    matched,
  }: { request: RequestSpec; trial: SimulatedRequest; around: RequestEnvironment; matched: string | null },
): Promise<Pick<RequestResult, "asked" | "upstream_request" | "response" | "logs" | "faults">> {
  const faults: string[] = [];
  const live = trial.live ? new LiveUpstream() : undefined;
  const allFaults = () => [...(live?.faults ?? []), ...faults];
  const asked = live?.asked ?? [];
  const { ends, securePort, ...served } = around;
  const filterThread = new FilterThread();
  try {
    const { generation, records } = whole.serving(matched ?? undefined, {
      environment: process.env,
      // Log destinations are lists here, and nothing else shows a secret, so none is needed.
      secret: () => "***",
      report: () => {},
    });
    const exchange = { request, upstream: trial.asked.upstream };
    const secured = request.tls === undefined ? ends : { ...ends, serverPort: securePort };
    const work = runExchange(generation, exchange, secured, {
      ...served,
      filterThread,
      ...(live !== undefined && { live }),
      report: (event, _, reason) => {
        if (FAULTS.has(event)) faults.push(`${event}: ${messageOf(reason)}`);
      },
    });
    const { upstreamRequest, response } = await withTimeout(
      work,
      live === undefined ? LONGEST_MS : MAX_LIVE_MS,
    );
    return {
      asked,
      upstream_request: upstreamRequest === undefined ? null : message(upstreamRequest),
      response: message(response),
      logs: (await records()).map(record),
      faults: allFaults(),
    };
  } catch (error) {
    // After an aborted response the faults already contain the reason.
    const told = live === undefined || live.faults.length === 0 ? [messageOf(error)] : [];
    return { asked, upstream_request: null, response: null, logs: [], faults: [...allFaults(), ...told] };
  } finally {
    live?.close();
    // Also after an abort: a slow pattern would continue for 10 s.
    await filterThread.close();
  }
}

type Message = Pick<Observed["response"], "headers" | "body">;

function message<T extends Message & { method?: string; target?: string }>({ headers, body, ...rest }: T) {
  return {
    ...rest,
    ...(rest.target !== undefined && { target: text(rest.target) }),
    headers: headers.map(([name, value]): [string, string] => [text(name), text(value)]),
    body: text(body),
  } as Omit<T, "headers" | "body" | "length"> & { headers: [string, string][]; body: string };
}

function record({ plugin, key, record: shipped }: ShippedRecord): RequestResult["logs"][number] {
  const told = JSON.parse(text(JSON.stringify(shipped))) as unknown;
  return { plugin, key: key ?? null, record: told };
}

function masksOf(credentials: Credentials, { headers, target }: WhichRouteRequest): CredentialMasks {
  const fields = headers.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return new CredentialMasks(credentials, { headers: fields, target });
}

function masked(tried: RequestResult, masks: CredentialMasks): RequestResult {
  const { request, upstream_request: sent, response } = tried;
  const fields = <T extends { headers: [string, string][] }>(message: T): T => ({
    ...message,
    headers: masks.fields(message.headers),
  });
  return masks.hidden({
    ...tried,
    request: { ...request, url: masks.target(request.url), target: masks.target(request.target) },
    upstream_request: sent && { ...fields(sent), target: masks.target(sent.target) },
    response: response && fields(response),
  });
}
