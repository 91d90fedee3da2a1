import type { ClientConnection } from "../../http/client-connection.js";
import { type Deadlines, type Timed, within } from "../../http/deadlines.js";
import { bad, WireFault } from "../../http/fault.js";
import type { ConnectionEvents, InboundRequest, RequestConnection } from "../../http/inbound-request.js";
import { authorityOf } from "../../http/request-values.js";
import { type FindPresented, type SecureClient, SecureConnection } from "../../http/tls/secure-connection.js";

/** Checks requests on TLS connections; connections without TLS pay nothing for it. */
export class SecureEvents implements ConnectionEvents {
  readonly #gateway: ConnectionEvents;
  readonly #presents: FindPresented;
  readonly #client: SecureClient;

  constructor(gateway: ConnectionEvents, presents: FindPresented, client: SecureClient) {
    this.#gateway = gateway;
    this.#presents = presents;
    this.#client = client;
  }

  request(inbound: InboundRequest): void {
    const fault = this.#fault(inbound.head.authority);
    if (fault === undefined) this.#gateway.request(inbound);
    else inbound.connection.refuse(fault);
  }

  refusal(fault: WireFault, bodiless: boolean): string {
    return this.#gateway.refusal(fault, bodiless);
  }

  refused(fault: WireFault, bytes: number): void {
    this.#gateway.refused(fault, bytes);
  }

  closed(connection: RequestConnection): void {
    this.#gateway.closed(connection);
  }

  /** Rejects a client that names one server to TLS and another to HTTP, to evade a client certificate. */
  #fault(authority: string): WireFault | undefined {
    const { state, presented, outdated } = this.#client;
    if (outdated) return new WireFault(421, "the client authentication of this host has changed");
    if (state.lacksCertificate) return bad("no valid client certificate");
    const { host } = authorityOf(authority);
    const meant = this.#presents(host === "" ? undefined : host);
    if (meant?.row.client === undefined || meant.clientTrust === presented.clientTrust) return undefined;
    return new WireFault(421, "a host that requires a client certificate, on a connection to another host");
  }
}

/** Requests in progress finish first; what lasts longer than `ms` is cut. */
export function endOutdatedClients(
  connections: Iterable<ClientConnection>,
  find: FindPresented,
  deadlines: Deadlines,
  ms: number,
): void {
  const ending: ClientConnection[] = [];
  for (const connection of connections)
    if (connection instanceof SecureConnection && connection.endIfOutdated(find)) ending.push(connection);
  if (ending.length === 0) return;
  const cut: Timed = {
    deadline: within(ms),
    expired() {
      deadlines.delete(cut);
      for (const connection of ending) connection.destroy();
    },
  };
  deadlines.add(cut);
}
