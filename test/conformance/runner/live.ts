import {
  requestBytes,
  upstreamScript,
  wholeRequest,
} from "../../../runtime/control/in-process/exchange-bytes.js";
import { fieldValues } from "../../../runtime/control/in-process/wire-message.js";
import { type Admission, UNTRUSTED_ADMISSION } from "../../../runtime/proxy/host/admission.js";
import type { LiveGeneration } from "../../../runtime/proxy/host/contract.js";
import { DataServer } from "../../../runtime/proxy/host/data-server.js";
import { FilterThread } from "../../../runtime/proxy/host/filter-thread.js";
import { until } from "../../support/patience.js";
import { RawClient, type RawResponse } from "../../support/raw-client.js";
import { RawUpstream } from "../../support/raw-upstream.js";
import { OVER_TLS, presentedToAll } from "../../support/secure-peer.js";
import type { CaseExchange } from "./case.js";
import type { Observed } from "./check.js";

/** Built module, since a thread runs no TypeScript. */
const BUILT_FILTER_WORK = new URL("../../../.build/runtime/proxy/host/filter-work.js", import.meta.url);

/** Time in ms to wait for unexpected bytes behind a response. */
const SETTLE = 10;

/** A data plane between a scripted upstream and bare clients, on loopback ports. */
export class LiveGateway {
  readonly upstream: RawUpstream;
  readonly port: number;
  /** Generation that serves new requests. */
  generation: LiveGeneration | undefined;
  /** Admission rules for new requests. */
  admission: Admission = UNTRUSTED_ADMISSION;
  readonly #server: DataServer;

  private constructor(upstream: RawUpstream, server: DataServer, port: number) {
    this.upstream = upstream;
    this.#server = server;
    this.port = port;
  }

  static async start(): Promise<LiveGateway> {
    const upstream = await new RawUpstream(() => undefined).start();
    const server = new DataServer({
      generation: () => {
        if (gateway.generation === undefined) throw new Error("nothing is loaded");
        return gateway.generation;
      },
      admission: () => gateway.admission,
      presents: presentedToAll,
      filterThread: new FilterThread(undefined, BUILT_FILTER_WORK),
    });
    const { port } = await server.accept({ port: 0 }, OVER_TLS);
    const gateway = new LiveGateway(upstream, server, port);
    return gateway;
  }

  async stop(): Promise<void> {
    await this.#server.close(100);
    await this.upstream.stop();
  }

  /** Returns both endpoints of a connection as the oracle expects them. */
  ends(clientPort: number) {
    return { clientPort, serverAddress: "127.0.0.1", serverPort: this.port, secure: OVER_TLS };
  }

  /**
   * Runs one exchange on a new connection, whose client port is `clientPort`.
   * @throws Error if bytes follow the response or the request reaches the upstream twice
   */
  async exchange(exchange: CaseExchange): Promise<Observed & { clientPort: number }> {
    const { upstream } = this;
    const { method, clientAddress } = wholeRequest(exchange.request);
    upstream.requests.length = 0;
    upstream.respond = (request) => upstreamScript(exchange.upstream, request.method);
    const refused = exchange.upstream?.failure === "connect";
    if (refused) await upstream.stop();
    const client = await RawClient.open(this.port, clientAddress);
    try {
      await client.send(requestBytes(exchange.request));
      const seen = await client.response(method, { settle: SETTLE });
      const { status, headers, body, trailers, clientPort, stray } = seen;
      if (stray !== "") throw new Error(`bytes behind the response: ${JSON.stringify(stray)}`);
      const [request, again] = upstream.requests;
      if (again !== undefined) throw new Error("the request reached the upstream twice");
      // The log phase runs when the upstream's response has ended, which may be after the client has its own.
      await until(() => this.#server.stats().inFlight === 0);
      const [length] = fieldValues(headers, "content-length");
      const interim = interimOf(seen);
      const announced = length === undefined ? undefined : Number(length);
      const response = { status, headers, body, length: announced, trailers, interim };
      return { upstreamRequest: request, response, clientPort };
    } finally {
      client.close();
      if (refused) await upstream.start();
    }
  }
}

/** Returns the 1xx responses before a response. */
export const interimOf = ({ interim }: Pick<RawResponse, "interim">) =>
  interim.map(({ startLine, headers }) => ({ status: Number(startLine.split(" ")[1]), headers }));
