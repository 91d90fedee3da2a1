import "../../../plugins/runtime.js";
import { ambient } from "../../abi/ambient.js";
import { PathFault } from "../../abi/path.js";
import { BodyDecoder, dropBody } from "../../http/body-decoder.js";
import { bad, WireFault } from "../../http/fault.js";
import { InboundRequest, type RequestConnection } from "../../http/inbound-request.js";
import { DEFAULT_LIMITS, type Limits } from "../../http/limits.js";
import { parseRequestHead } from "../../http/request-head.js";
import type { SecureState } from "../../http/tls/secure-state.js";
import type { GatewayExchange } from "../../proxy/exchange/exchange.js";
import { beginExchange } from "../../proxy/exchange/target.js";
import { type Admission, applyAdmission, isTrace, UNTRUSTED_ADMISSION } from "../../proxy/host/admission.js";
import type { LiveGeneration } from "../../proxy/host/contract.js";
import { FilterThread } from "../../proxy/host/filter-thread.js";
import { refusalText } from "../../proxy/host/local-reply.js";
import { closingPhases, mustAcknowledge, requestPhases } from "../../proxy/host/phases.js";
import { ProxyExchange } from "../../proxy/host/proxy-exchange.js";
import { matchRoute } from "../../proxy/host/readings.js";
import { acknowledge, ResponseAckGate } from "../../proxy/host/response-ack-gate.js";
import { failWith, selectUpstream, sendLocalReply } from "../../proxy/host/send-response.js";
import type { WorkerContext } from "../../proxy/host/worker-context.js";
import { LiveUpstream } from "./live-upstream.js";
import { type DataPathOptions, type NodeAnswer, ScriptedDataPath } from "./scripted-upstream.js";

export interface ConnectionEndpoints {
  clientAddress: string;
  clientPort: number;
  serverAddress: string;
  serverPort: number;
  tls?: Pick<SecureState, "variable"> | undefined;
}

/** Settings of a request in process; default: those of a gateway without settings, and an own filter thread. */
export type InProcess = Partial<DataPathOptions>;

export interface Served {
  sent: string;
  route: string | undefined;
}

/**
 * Serves one request without a socket: real codec, exchange, phases and proxying between scripted ends.
 * @param answer response of the upstream, scripted or from its real nodes; the caller closes these
 */
export async function serveInProcess(
  generation: LiveGeneration,
  requestBytes: string,
  ends: ConnectionEndpoints,
  answer: NodeAnswer | LiveUpstream,
  {
    admission = UNTRUSTED_ADMISSION,
    limits = DEFAULT_LIMITS,
    filterThread,
    report = () => {},
  }: InProcess = {},
): Promise<Served> {
  const end = requestBytes.indexOf("\r\n\r\n") + 4;
  const refused = (fault: WireFault, bodiless = false): Served => ({
    sent: refusalText(fault, bodiless),
    route: undefined,
  });
  const head = parseRequestHead(requestBytes, 0, end, limits);
  if (head instanceof WireFault) return refused(head);
  const isHead = head.method === "HEAD";
  const fault = applyAdmission(head, ends.clientAddress, admission);
  if (fault !== undefined) return refused(fault, isHead);
  const client = new ScriptedClient(ends, limits, requestBytes.slice(end));
  const inbound = new InboundRequest(client, head);
  const x = beginExchange(inbound, generation, admission.pathRules);
  if (x instanceof PathFault) return refused(bad(`the path of the target: ${x.reason}`), isHead);
  const thread = filterThread ?? new FilterThread();
  const options = { admission, limits, filterThread: thread, report };
  const dataPath =
    answer instanceof LiveUpstream ? answer.dataPath(options) : new ScriptedDataPath(answer, options);
  x.budget = dataPath;
  try {
    await answered(x, client, dataPath, admission);
  } finally {
    dataPath.deadlines.close();
    if (thread !== filterThread) await thread.close();
  }
  return { sent: client.sent, route: x.route?.row.id };
}

/** Serves from the match to the last byte and the log, as `data-server.ts` does. */
async function answered(
  x: GatewayExchange,
  client: ScriptedClient,
  dataPath: WorkerContext,
  admission: Admission,
): Promise<void> {
  const { finished, logged } = closing(x, dataPath);
  const own = (status?: number) => {
    if (status !== undefined) failWith(x, status);
    sendLocalReply(x, dataPath);
    finished();
  };
  const forbidden = isTrace(x.method) && admission.allowTrace !== true;
  try {
    const refused = forbidden ? 405 : matchRoute(x);
    if (mustAcknowledge(x)) x.inbound.gate = new ResponseAckGate(x, dataPath, finished);
    if (refused === undefined) await requestPhases(x);
    const leads = refused ?? (x.answered ? undefined : selectUpstream(x, admission.pathRules));
    if (leads === undefined) own();
    else if (typeof leads === "number") own(leads);
    else new ProxyExchange(x, dataPath, leads, finished).start();
  } catch (error) {
    dataPath.moduleFailed(x, error);
    own(500);
  }
  await Promise.all([client.finished, logged]);
}

/** Runs the end of an exchange as the host does: acknowledge and log. */
function closing(x: GatewayExchange, dataPath: WorkerContext) {
  let done = () => {};
  const logged = new Promise<void>((resolve) => {
    done = resolve;
  });
  const finished = () => {
    if (x.finished || x.inbound.held) return;
    x.finished = true;
    if (x.inbound.gate !== undefined) acknowledge(x, dataPath);
    x.endedAt = ambient.now();
    closingPhases(x, "log", dataPath);
    done();
  };
  return { finished, logged };
}

/** Client side of a connection: accepts all output at once. */
class ScriptedClient implements RequestConnection {
  readonly limits: Limits;
  readonly remoteAddr: string;
  readonly remotePort: number;
  readonly serverAddr: string;
  readonly serverPort: number;
  readonly startedAt = ambient.now();
  readonly secure: SecureState | undefined;
  readonly serial = 1;
  readonly served = 0;
  readonly lastRequest = false;
  readonly current = undefined;
  readonly full = false;
  readonly output = { onceIdle: (then: () => void) => then() };
  readonly finished: Promise<void>;
  forwardingAuthority = "";
  forwardingFields = "";
  sent = "";
  readonly #body: string;
  #finish: () => void = () => {};

  constructor(ends: ConnectionEndpoints, limits: Limits, body: string) {
    this.limits = limits;
    this.remoteAddr = ends.clientAddress;
    this.remotePort = ends.clientPort;
    this.serverAddr = ends.serverAddress;
    this.serverPort = ends.serverPort;
    this.secure = ends.tls as SecureState | undefined;
    this.#body = body;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  readBody(request: InboundRequest): void {
    const bytes = Buffer.from(this.#body, "latin1");
    if (request.decoder instanceof BodyDecoder) request.decoder.feed(bytes, 0, bytes.length);
    request.bodyDone = true;
  }

  pauseReading(): void {}
  resumeReading(): void {}
  becomeTunnel(): void {}
  refuse(): void {}
  stop(): void {}

  write(text: string, large = "", after = ""): void {
    this.sent += text + large + after;
  }

  writeBuffer(before: string, buffer: Buffer, start: number, end: number, after: string): void {
    this.sent += before + buffer.toString("latin1", start, end) + after;
  }

  responseFinished(request: InboundRequest): void {
    if (request.readsLate && request.decoder === undefined) request.readBody(dropBody);
    this.#finish();
  }

  reset(): void {
    this.#finish();
  }

  destroy(): void {
    this.#finish();
  }
}
