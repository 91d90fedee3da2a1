import type { Limits } from "../../http/limits.js";
import { admissionOf } from "../../process/data-plane.js";
import type { Admission } from "../../proxy/host/admission.js";
import type { LiveGeneration } from "../../proxy/host/contract.js";
import { settingsOf } from "../settings.js";
import { requestBytes, secureOf, upstreamScript, wholeRequest } from "./exchange-bytes.js";
import type { ExchangeSpec, Observed, ObservedInterim, ResponseSpec } from "./exchange-spec.js";
import type { LiveUpstream } from "./live-upstream.js";
import { type ConnectionEndpoints, type InProcess, serveInProcess } from "./serve.js";
import { fieldValues, readMessage } from "./wire-message.js";

/** Events that fail a test. Other events, such as an upstream that fails, may be the purpose of a test. */
export const FAULTS: ReadonlySet<string> = new Set(["module_failed", "impossible_event"]);

/** Uses nodes instead of the responses in the exchange if `live`. @throws Error if the gateway sends invalid HTTP */
export async function runExchange(
  generation: LiveGeneration,
  exchange: Pick<ExchangeSpec, "request" | "upstream">,
  ends: Omit<ConnectionEndpoints, "clientAddress" | "tls">,
  { live, ...options }: InProcess & { live?: LiveUpstream } = {},
): Promise<Observed> {
  const { method, clientAddress } = wholeRequest(exchange.request);
  const answers = [exchange.upstream ?? {}].flat();
  let attempts = 0;
  let received: string | undefined;
  const { sent, route } = await serveInProcess(
    generation,
    requestBytes(exchange.request),
    { ...ends, clientAddress, tls: secureOf(exchange.request) },
    live ??
      ((request, bodiless) => {
        const answer: ResponseSpec = answers[Math.min(attempts++, answers.length - 1)] ?? {};
        if (answer.failure !== "connect") received = request;
        if (answer.failure !== undefined) return { failure: answer.failure };
        return upstreamScript(answer, bodiless ? "HEAD" : "GET")?.writes ?? [];
      }),
    options,
  );
  const sentOn = live === undefined ? received : live.received;
  return {
    route,
    upstreamRequest: sentOn === undefined ? undefined : readRequest(sentOn),
    response: readResponse(sent, method),
  };
}

function readRequest(bytes: string): NonNullable<Observed["upstreamRequest"]> {
  const read = readMessage(bytes, { bodiless: () => false, whenUnframed: "none", ended: true });
  if (read === undefined) throw new Error(`incomplete request at the upstream: ${JSON.stringify(bytes)}`);
  const [method = "", target = ""] = read.message.startLine.split(" ");
  const { headers, body, trailers } = read.message;
  return { method, target, headers, body, trailers };
}

/** Reads the final response; every byte must belong to it or to an interim response before it. */
function readResponse(bytes: string, method: string): Observed["response"] {
  let rest = bytes;
  const interim: ObservedInterim[] = [];
  for (;;) {
    const read = readMessage(rest, { bodiless: bodilessFor(method), whenUnframed: "close", ended: true });
    if (read === undefined) throw new Error(`incomplete response: ${JSON.stringify(bytes)}`);
    const { startLine, headers, body, trailers } = read.message;
    rest = rest.slice(read.length);
    const status = Number(startLine.split(" ")[1]);
    if (status < 200) {
      interim.push({ status, headers });
      continue;
    }
    if (rest !== "") throw new Error(`bytes after the response: ${JSON.stringify(rest)}`);
    const [length] = fieldValues(headers, "content-length");
    return {
      status,
      headers,
      body,
      length: length === undefined ? undefined : Number(length),
      trailers,
      interim,
    };
  }
}

const bodilessFor =
  (method: string) =>
  ({ startLine }: { startLine: string }) =>
    method === "HEAD" || /^HTTP\/1\.1 (?:1\d\d|204|304) /.test(startLine);

/** Poll interval in ms. */
const LOOK_MS = 20;

/**
 * Limits an exchange without a network, which takes milliseconds unless it never ends. A starved process does
 * not poll either, so a slow machine aborts no exchange. @throws Error on a timeout
 */
export function withTimeout<T>(exchange: Promise<T>, longestMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = Math.ceil(longestMs / LOOK_MS);
    const timer = setInterval(() => {
      if (--left > 0) return;
      clearInterval(timer);
      reject(new Error(`no complete response within ${longestMs / 1_000} s: does the request end?`));
    }, LOOK_MS);
    exchange.then(resolve, reject).finally(() => clearInterval(timer));
  });
}

export interface RequestEnvironment {
  ends: Omit<ConnectionEndpoints, "clientAddress" | "tls">;
  securePort: number;
  admission: Admission;
  limits: Limits;
}

export interface ListeningPorts {
  plain: readonly number[];
  secure: readonly number[];
}

/** Value of `$remote_port`. */
const CLIENT_PORT = 40_000;

export function requestEnvironment(
  deployment: unknown,
  environment: Readonly<Record<string, string | undefined>>,
): RequestEnvironment & { ports: ListeningPorts } {
  const { gw = {} } = (deployment ?? {}) as { gw?: object };
  const { admission, limits, data, tls } = settingsOf({ gw }, "/", environment);
  const ends = { clientPort: CLIENT_PORT, serverAddress: "127.0.0.1", serverPort: data[0]?.port ?? 0 };
  const ports = { plain: data.map(({ port }) => port), secure: tls.map(({ port }) => port) };
  return { ends, securePort: tls[0]?.port ?? 443, ports, admission: admissionOf(admission), limits };
}
