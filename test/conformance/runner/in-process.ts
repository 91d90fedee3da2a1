import { type Admission, STRANGERS } from "../../../runtime/proxy/host/admission.js";
import type { LiveGeneration } from "../../../runtime/proxy/host/contract.js";
import { type Ends, serveInProcess } from "../../support/in-process.js";
import { fieldValues, readMessage } from "../../support/wire-message.js";
import type { CaseExchange } from "./case.js";
import type { Observed } from "./check.js";
import { requestBytes, upstreamScript, wholeRequest } from "./exchange.js";

/** The exchange through the compiled modules, without a socket. */
export async function happened(
  generation: LiveGeneration,
  exchange: CaseExchange,
  ends: Omit<Ends, "clientAddress">,
  admission: Admission = STRANGERS,
): Promise<Observed> {
  const { method, clientAddress } = wholeRequest(exchange.request);
  let received: string | undefined;
  const bytes = await serveInProcess(
    generation,
    requestBytes(exchange.request),
    { ...ends, clientAddress },
    (request, bodiless) => {
      if (exchange.upstream?.failure !== "connect") received = request;
      if (exchange.upstream?.failure !== undefined) return { failure: exchange.upstream.failure };
      return upstreamScript(exchange.upstream, bodiless ? "HEAD" : "GET")?.writes ?? [];
    },
    admission,
  );
  return {
    upstreamRequest: received === undefined ? undefined : readRequest(received),
    response: readResponse(bytes, method),
  };
}

function readRequest(bytes: string): NonNullable<Observed["upstreamRequest"]> {
  const read = readMessage(bytes, { bodiless: () => false, whenUnframed: "none", ended: true });
  if (read === undefined) throw new Error(`no whole request reached the upstream: ${JSON.stringify(bytes)}`);
  const [method = "", target = ""] = read.message.startLine.split(" ");
  return { method, target, headers: read.message.headers, body: read.message.body };
}

/** The final response; every byte must belong to it or to an interim response before it. */
function readResponse(bytes: string, method: string): Observed["response"] {
  let rest = bytes;
  for (;;) {
    const read = readMessage(rest, { bodiless: bodilessFor(method), whenUnframed: "close", ended: true });
    if (read === undefined) throw new Error(`no whole response: ${JSON.stringify(bytes)}`);
    const { startLine, headers, body } = read.message;
    rest = rest.slice(read.length);
    const status = Number(startLine.split(" ")[1]);
    if (status < 200) continue;
    if (rest !== "") throw new Error(`bytes after the response: ${JSON.stringify(rest)}`);
    const [length] = fieldValues(headers, "content-length");
    return { status, headers, body, length: length === undefined ? undefined : Number(length) };
  }
}

const bodilessFor =
  (method: string) =>
  ({ startLine }: { startLine: string }) =>
    method === "HEAD" || /^HTTP\/1\.1 (?:1\d\d|204|304) /.test(startLine);
