import { PathFault } from "../../runtime/abi/path.js";
import { BodyDecoder } from "../../runtime/http/body-decoder.js";
import type { ClientConnection } from "../../runtime/http/client-connection.js";
import { bad, WireFault } from "../../runtime/http/fault.js";
import { InboundRequest } from "../../runtime/http/inbound-request.js";
import { DEFAULT_LIMITS } from "../../runtime/http/limits.js";
import { parseRequestHead } from "../../runtime/http/request-head.js";
import { beginExchange } from "../../runtime/proxy/exchange/begin.js";
import type { GatewayExchange } from "../../runtime/proxy/exchange/exchange.js";
import { type Admission, admit, isTrace, STRANGERS } from "../../runtime/proxy/host/admission.js";
import type { LiveGeneration } from "../../runtime/proxy/host/contract.js";
import { refusalText } from "../../runtime/proxy/host/local-reply.js";
import { closingPhases, mustAcknowledge, requestPhases } from "../../runtime/proxy/host/phases.js";
import { ProxyExchange } from "../../runtime/proxy/host/proxy-exchange.js";
import { destination, failWith, sendOwn } from "../../runtime/proxy/host/respond.js";
import { acknowledge, ResponseAckGate } from "../../runtime/proxy/host/response-ack-gate.js";
import { type NodeAnswer, ScriptedDataPath } from "./scripted-upstream.js";

/** Both ends of the client's connection. */
export interface Ends {
  clientAddress: string;
  clientPort: number;
  serverAddress: string;
  serverPort: number;
}

/**
 * Serves one request without a socket: the real codec, exchange, phases and proxying between two scripted ends.
 * Gives the bytes that the client receives.
 */
export async function serveInProcess(
  generation: LiveGeneration,
  requestBytes: string,
  ends: Ends,
  answer: NodeAnswer,
  admission: Admission = STRANGERS,
): Promise<string> {
  const end = requestBytes.indexOf("\r\n\r\n") + 4;
  const head = parseRequestHead(requestBytes, 0, end, DEFAULT_LIMITS);
  if (head instanceof WireFault) return refusalText(head, false);
  const fault = admit(head, ends.clientAddress, admission);
  if (fault !== undefined) return refusalText(fault, head.method === "HEAD");
  const client = new ScriptedClient(ends, requestBytes.slice(end));
  const inbound = new InboundRequest(client as unknown as ClientConnection, head);
  const x = beginExchange(inbound, generation, admission.pathRules);
  if (x instanceof PathFault) return refusalText(bad(x.reason), head.method === "HEAD");
  const dataPath = new ScriptedDataPath(answer, admission);
  x.budget = dataPath;
  const refused = isTrace(head.method) && admission.allowTrace !== true;
  if (!refused) x.route = generation.match(x);
  const { finished, logged } = closing(x, dataPath);
  if (mustAcknowledge(x)) inbound.gate = new ResponseAckGate(x, dataPath, finished);
  if (!refused) await requestPhases(x);
  const own = (status?: number) => {
    if (status !== undefined) failWith(x, status);
    sendOwn(x, dataPath);
    finished();
  };
  const leads = refused ? 405 : x.answered ? undefined : destination(x, admission.pathRules);
  if (leads === undefined) own();
  else if (typeof leads === "number") own(leads);
  else new ProxyExchange(x, dataPath, leads, finished).start();
  await Promise.all([client.finished, logged]);
  return client.sent;
}

/** What the host does once a response has been handed over: acknowledge and log. */
function closing(x: GatewayExchange, dataPath: ScriptedDataPath) {
  let done = () => {};
  const logged = new Promise<void>((resolve) => {
    done = resolve;
  });
  const finished = () => {
    if (x.finished || x.inbound.held) return;
    x.finished = true;
    if (x.inbound.gate !== undefined) acknowledge(x, dataPath);
    x.endedAt = Date.now();
    closingPhases(x, "log", dataPath);
    done();
  };
  return { finished, logged };
}

/** The client's side of a connection: the part of ClientConnection that a request uses. */
class ScriptedClient
  implements
    Pick<
      ClientConnection,
      | ("limits" | "remoteAddr" | "remotePort" | "serverAddr" | "serverPort" | "startedAt" | "lastRequest")
      | ("serial" | "served")
      | ("full" | "readBody" | "pauseReading" | "resumeReading" | "write" | "writeBuffer")
      | ("responseFinished" | "destroy" | "forwardingAuthority" | "forwardingFields")
    >
{
  readonly limits = DEFAULT_LIMITS;
  readonly remoteAddr: string;
  readonly remotePort: number;
  readonly serverAddr: string;
  readonly serverPort: number;
  readonly startedAt = Date.now();
  readonly serial = 1;
  readonly served = 0;
  readonly lastRequest = false;
  readonly full = false;
  readonly finished: Promise<void>;
  forwardingAuthority = "";
  forwardingFields = "";
  sent = "";
  readonly #body: string;
  #finish: () => void = () => {};

  constructor(ends: Ends, body: string) {
    this.remoteAddr = ends.clientAddress;
    this.remotePort = ends.clientPort;
    this.serverAddr = ends.serverAddress;
    this.serverPort = ends.serverPort;
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

  write(text: string): void {
    this.sent += text;
  }

  writeBuffer(before: string, buffer: Buffer, start: number, end: number, after: string): void {
    this.sent += before + buffer.toString("latin1", start, end) + after;
  }

  responseFinished(): void {
    this.#finish();
  }

  destroy(): void {
    this.#finish();
  }
}
