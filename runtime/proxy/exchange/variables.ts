import { ambient } from "../../abi/ambient.js";
import type { Exchange } from "../../abi/exchange.js";
import { pluginVariable } from "../../abi/plugin-runtime.js";
import { base64 } from "../../abi/text/bytes.js";
import { VARIABLES } from "../../abi/variables.js";
import { VERSION } from "../../abi/version.js";
import type { RequestConnection } from "../../http/inbound-request.js";
import type { RequestHead } from "../../http/request-head.js";
import type { SecureState } from "../../http/tls/secure-state.js";
import type { EndedAttempt, LiveRoute } from "../host/contract.js";
import { timeIso8601, timeLocal } from "./clock.js";
import type { OutgoingRequest } from "./outgoing-request.js";

type Reader = (x: VariableSource) => string | number | undefined;

const seconds = (ms: number) => (ms / 1_000).toFixed(3);
const secondsOf = (ms: number | undefined) => (ms === undefined ? undefined : seconds(ms));
const requestLine: Reader = (x) => `${x.method} ${x.requestUri} ${x.serverProtocol}`;
const list = (parts: readonly (string | number | undefined)[]) =>
  parts.length === 0 ? undefined : parts.map((part) => part ?? "-").join(", ");
const OF_TLS: Readonly<Record<string, Reader>> = Object.fromEntries(
  VARIABLES.filter(({ name }) => name.startsWith("ssl_")).map(({ name }): [string, Reader] => {
    const known = name.slice("ssl_".length);
    return [name, (x) => x.inbound.connection.secure?.variable(known)];
  }),
);

const READERS: Readonly<Record<string, Reader>> = {
  is_args: (x) => (x.args === "" ? undefined : "?"),
  https: (x) => (x.scheme === "https" ? "on" : undefined),
  request: requestLine,
  request_line: requestLine,
  request_length: (x) => x.requestLength,
  content_length: (x) => {
    const framing = x.inbound.head.framing;
    return framing.kind === "length" ? String(framing.length) : undefined;
  },
  realip_remote_addr: (x) => x.inbound.connection.remoteAddr,
  connection: (x) => x.inbound.connection.serial,
  connection_requests: (x) => x.inbound.number,
  remote_user: (x) => basicUser(x.request.headers.get("authorization")),
  consumer_group_id: () => undefined,
  server_name: () => "_",
  nginx_version: () => VERSION,
  pid: () => ambient.pid(),
  msec: () => ambient.now() / 1_000,
  time_iso8601: () => timeIso8601(ambient.now()),
  time_local: () => timeLocal(ambient.now()),
  request_time: (x) => x.latency / 1_000,
  upstream_addr: (x) => list(x.attempts.map(({ node }) => `${node.host}:${node.port}`)),
  upstream_status: (x) => list(x.attempts.map(({ status }) => status)),
  upstream_response_time: (x) => list(x.attempts.map(({ ms }) => seconds(ms))),
  upstream_connect_time: (x) => list(x.attempts.map(({ connectMs }) => secondsOf(connectMs))),
  upstream_header_time: (x) => list(x.attempts.map(({ headMs }) => secondsOf(headMs))),
  upstream_response_length: (x) => list(x.attempts.map(({ bodyBytes }) => bodyBytes)),
  upstream_scheme: (x) => x.route?.upstream?.table.scheme,
  upstream_host: (x) => x.outgoing.sentHost,
  upstream_uri: (x) => (x.attempts.length === 0 ? undefined : x.outgoing.target),
  upstream_unresolved_host: (x) => x.attempts.at(-1)?.node.host,
  balancer_ip: (x) => x.attempts.at(-1)?.node.host,
  balancer_port: (x) => x.attempts.at(-1)?.node.port.toString(),
  ...OF_TLS,
  bytes_sent: (x) => x.inbound.bytesSent,
  body_bytes_sent: (x) => x.bodyBytesSent,
};

/** User name of the Basic scheme (RFC 7617): the text before the colon. */
function basicUser(credentials: string | undefined): string | undefined {
  const [, coded] = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(credentials ?? "") ?? [];
  if (coded === undefined) return undefined;
  const decoded = base64(coded);
  const colon = decoded.indexOf(":");
  return colon < 0 ? undefined : decoded.slice(0, colon);
}

/** Reads a variable for generated code (runtime/abi/variables.ts); undefined if it has no value now. */
export function readVariable(x: VariableSource, name: string): string | number | undefined {
  const read = READERS[name];
  return read === undefined ? pluginVariable(x, name) : read(x);
}

/** Names of variables that `readVariable` reads itself. */
export const NAMED_VARIABLES: readonly string[] = Object.keys(READERS);

/** Message behind an exchange: InboundRequest, or a simulated request. */
export interface ExchangeSource {
  readonly head: RequestHead;
  readonly bytesSent: number;
  /** Number of the request on its connection. */
  readonly number?: number;
  /** Decoder of the body; absent until the body is read. */
  readonly decoder?: { readonly received: number } | undefined;
  readonly connection: Pick<
    RequestConnection,
    "remoteAddr" | "remotePort" | "serverAddr" | "serverPort" | "startedAt"
  > & {
    /** Number of the connection in this process. */
    readonly serial?: number;
    /** Absent without TLS. */
    readonly secure?: Pick<SecureState, "variable">;
  };
}

export interface VariableSource extends Exchange {
  readonly inbound: ExchangeSource;
  readonly attempts: readonly AttemptRecord[];
  readonly route: LiveRoute | undefined;
  readonly outgoing: OutgoingRequest;
  readonly bodyBytesSent: number;
}

export interface AttemptRecord extends Omit<EndedAttempt, "startedAt"> {
  /** Key of the node's upstream. */
  readonly upstream?: string;
  /** Connect time in ms: 0 for a reused connection; undefined if it was never established. */
  readonly connectMs: number | undefined;
  /** Time until the response head in ms; undefined without one. */
  readonly headMs: number | undefined;
  /** Bytes of the response body that arrived. */
  readonly bodyBytes: number;
}
