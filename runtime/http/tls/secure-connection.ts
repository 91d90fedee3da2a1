import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { ClientConnection } from "../client-connection.js";
import type { Deadlines } from "../deadlines.js";
import type { ConnectionEvents } from "../inbound-request.js";
import type { Limits } from "../limits.js";
import type { Presented } from "./presented.js";
import type { SecureState } from "./secure-state.js";

/** A client whose TLS handshake is done, with the connection that carries it. */
export interface SecureClient {
  socket: TLSSocket;
  carrier: Socket;
  state: SecureState;
  presented: Presented;
  /** Its server name authenticates clients differently by now, or is not served any more. */
  outdated: boolean;
}

/** The certificate of a server name; undefined: handshakes for it are refused. */
export type FindPresented = (serverName: string | undefined) => Presented | undefined;

export function isOutdated({ state, presented }: SecureClient, find: FindPresented): boolean {
  return find(state.serverName)?.clientTrust !== presented.clientTrust;
}

/** A client connection over TLS: the same codec, limits and deadlines, on what was deciphered. */
export class SecureConnection extends ClientConnection {
  readonly secure: SecureState;
  readonly #client: SecureClient;

  constructor(client: SecureClient, limits: Limits, deadlines: Deadlines, events: ConnectionEvents) {
    super(client.socket, limits, deadlines, events);
    this.secure = client.state;
    this.#client = client;
  }

  /** Ends the connection, after the response under way, if its client was authenticated by rules of the past. @returns whether it does */
  endIfOutdated(find: FindPresented): boolean {
    const client = this.#client;
    if (client.outdated || !isOutdated(client, find)) return false;
    client.outdated = true;
    this.stop();
    return true;
  }

  /** TLS has no reset of its own: what carries it is reset, and no closing alert is sent. */
  override reset(): void {
    this.#client.carrier.resetAndDestroy();
    this.destroy();
  }
}
