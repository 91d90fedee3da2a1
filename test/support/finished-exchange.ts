import type { PluginMetadataModule } from "../../runtime/abi/exchange.js";
import type { CapturedBody } from "../../runtime/abi/log.js";
import { PathFault } from "../../runtime/abi/path.js";
import { WireFault } from "../../runtime/http/fault.js";
import { HeaderList } from "../../runtime/http/header-list.js";
import { DEFAULT_LIMITS } from "../../runtime/http/limits.js";
import { parseRequestHead } from "../../runtime/http/request-head.js";
import type { GatewayExchange } from "../../runtime/proxy/exchange/exchange.js";
import { beginExchange } from "../../runtime/proxy/exchange/target.js";
import type { ExchangeSource } from "../../runtime/proxy/exchange/variables.js";
import type { LiveNode, LiveRoute } from "../../runtime/proxy/host/contract.js";

export interface Finished {
  /** Head of the request, each line ended by CRLF, with the empty line. */
  request?: string;
  status?: number;
  responseFields?: readonly (readonly [string, string])[];
  /** Forwarding headers as they were sent. */
  forwarded?: string;
  /** Duration in ms of each attempt at the node 127.0.0.1:1980. */
  attempts?: readonly number[];
  /** Null: no route matched. */
  route?: { id: string; serviceId?: string } | null;
  consumer?: string;
  latency?: number;
  requestBody?: CapturedBody;
  responseBody?: CapturedBody;
  metadata?: PluginMetadataModule;
}

const STARTED = 1_577_836_800_250;

export const GET = "GET /hello?a=1 HTTP/1.1\r\nHost: example.com\r\nUser-Agent: test\r\nAccept: */*\r\n\r\n";

/**
 * A real exchange at its end: the codec has read the request, the response is received, the bodies are
 * captured.
 */
export function finishedExchange(given: Finished = {}): GatewayExchange<ExchangeSource> {
  const { request = GET, status = 200, responseFields = [], latency = 12 } = given;
  const head = parseRequestHead(request, 0, request.length, DEFAULT_LIMITS);
  if (head instanceof WireFault) throw new Error(`not a request: ${JSON.stringify(head)}`);
  const connection = {
    remoteAddr: "192.0.2.7",
    remotePort: 50_000,
    serverAddr: "127.0.0.1",
    serverPort: 9080,
    startedAt: STARTED,
  };
  const pluginMetadata = new Map(given.metadata === undefined ? [] : [[given.metadata.id, given.metadata]]);
  const generation = { number: 1, globalRules: [], match: () => undefined, pluginMetadata };
  const x = beginExchange<ExchangeSource>({ head, bytesSent: 321, connection }, generation);
  if (x instanceof PathFault) throw new Error(x.reason);
  const { route = { id: "r1" } } = given;
  if (route !== null) x.route = { row: route, module: null, upstream: null } as unknown as LiveRoute;
  x.consumerName = given.consumer;
  x.endedAt = STARTED + latency;
  for (const ms of given.attempts ?? [8])
    x.attempted({
      node: { host: "127.0.0.1", port: 1980 } as LiveNode,
      status,
      connectMs: 0,
      headMs: ms,
      ms,
      bodyBytes: 0,
    });
  x.outgoing.forwardingLines = given.forwarded ?? "";
  x.response.status = status;
  x.response.headers = new HeaderList("", []);
  for (const [name, value] of responseFields) x.response.headers.append(name, value);
  const { requestBody, responseBody } = given;
  x.captured = (_owner, side) => (side === "request" ? requestBody : responseBody);
  return x;
}

/** A body that was captured completely. */
export const wholeBody = (text: string, coding = ""): CapturedBody => ({ text, coding, size: text.length });
