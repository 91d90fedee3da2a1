import type { LiveGeneration } from "../../proxy/host/contract.js";
import { requestBytes, upstreamScript, wholeRequest } from "./exchange-bytes.js";
import type { ExchangeSpec, Observed, ObservedInterim, ResponseSpec } from "./exchange-spec.js";
import type { LiveUpstream } from "./live-upstream.js";
import { secureOf } from "./secure-client.js";
import { type ConnectionEndpoints, type InProcess, serveInProcess } from "./serve.js";
import { fieldValues, readMessage } from "./wire-message.js";

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
