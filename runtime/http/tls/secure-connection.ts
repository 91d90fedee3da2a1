import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { ClientConnection } from "../client-connection.js";
import type { Deadlines } from "../deadlines.js";
import type { ConnectionEvents } from "../inbound-request.js";
import type { Limits } from "../limits.js";
import type { Presented } from "./presented.js";
import type { SecureState } from "./secure-state.js";

export interface SecureClient {
  socket: TLSSocket;
  carrier: Socket;
  state: SecureState;
  presented: Presented;
  /** True if the server name now authenticates clients differently, or is no longer served. */
  outdated: boolean;
}

/** Returns the certificate of a server name; undefined: handshakes for it are aborted. */
export type FindPresented = (serverName: string | undefined) => Presented | undefined;

export function isOutdated({ state, presented }: SecureClient, find: FindPresented): boolean {
  return find(state.serverName)?.clientTrust !== presented.clientTrust;
}

/** Client connection over TLS: same codec, limits and deadlines, on deciphered bytes. */
export class SecureConnection extends ClientConnection {
  readonly secure: SecureState;
  readonly #client: SecureClient;

  constructor(client: SecureClient, limits: Limits, deadlines: Deadlines, events: ConnectionEvents) {
    super(client.socket, limits, deadlines, events);
    this.secure = client.state;
    this.#client = client;
  }

  /** Ends the connection after its response if outdated rules authenticated its client. @returns true if it ends */
  endIfOutdated(find: FindPresented): boolean {
    const client = this.#client;
    if (client.outdated || !isOutdated(client, find)) return false;
    client.outdated = true;
    this.stop();
    return true;
  }

  /** TLS has no reset: the socket under it is reset, and no close alert is sent. */
  override reset(): void {
    this.#client.carrier.resetAndDestroy();
    this.destroy();
  }
}
