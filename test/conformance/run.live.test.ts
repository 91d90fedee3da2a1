import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LiveGeneration } from "../../runtime/host/contract.js";
import { createDataServer, type DataServer } from "../../runtime/host/serve.js";
import { loaded } from "../support/loaded.js";
import { RawClient } from "../support/raw-client.js";
import { RawUpstream } from "../support/raw-upstream.js";
import { fieldValues } from "../support/wire-message.js";
import { type CaseExchange, caseNames, readCase } from "./runner/case.js";
import { checkExchange, comparable, type Observed } from "./runner/check.js";
import { compiledCase } from "./runner/compiled.js";
import { requestBytes, upstreamScript, wholeRequest } from "./runner/exchange.js";
import { foreseen } from "./runner/foreseen.js";

/** Milliseconds in which bytes nobody asked for would show. */
const SETTLE = 10;

let upstream: RawUpstream;
let server: DataServer;
let gatewayPort: number;
let generation: LiveGeneration;

beforeAll(async () => {
  upstream = await new RawUpstream(() => undefined).start();
  server = createDataServer({ generation: () => generation });
  ({ port: gatewayPort } = await server.accept({ port: 0 }));
});

afterAll(async () => {
  await server.close(100);
  await upstream.stop();
});

/** The exchange on the wire; `clientPort` is the port that the client happened to have. */
async function onTheWire(exchange: CaseExchange): Promise<Observed & { clientPort: number }> {
  const { method, clientAddress } = wholeRequest(exchange.request);
  upstream.requests.length = 0;
  upstream.respond = (request) => upstreamScript(exchange.upstream, request.method);
  const refused = exchange.upstream?.failure === "connect";
  if (refused) await upstream.stop();
  const client = await RawClient.open(gatewayPort, clientAddress);
  try {
    await client.send(requestBytes(exchange.request));
    const response = await client.response(method, { settle: SETTLE });
    expect(response.stray, "bytes behind the response").toBe("");
    expect(upstream.requests.length, "requests at the upstream").toBeLessThanOrEqual(1);
    const [request] = upstream.requests;
    const [length] = fieldValues(response.headers, "content-length");
    const { status, headers, body, clientPort } = response;
    return {
      upstreamRequest: request,
      response: { status, headers, body, length: length === undefined ? undefined : Number(length) },
      clientPort,
    };
  } finally {
    client.close();
    if (refused) await upstream.start();
  }
}

const written = caseNames().filter((name) => readCase(name, 1).exchanges !== undefined);

describe.each(written)("%s", (name) => {
  it("on the wire", async () => {
    const { exchanges = [], ...rest } = readCase(name, upstream.port);
    const { plan, artifact } = compiledCase(rest);
    generation = loaded(artifact);
    for (const exchange of exchanges) {
      const { clientPort, ...seen } = await onTheWire(exchange);
      checkExchange(exchange, seen);
      const ends = { clientPort, serverAddress: "127.0.0.1", serverPort: gatewayPort };
      expect(comparable(seen)).toEqual(comparable(foreseen(plan, exchange, ends)));
    }
  });
});
