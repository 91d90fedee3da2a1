import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { ClientConnection } from "../client-connection.js";
import type { Deadlines } from "../deadlines.js";
import type { ConnectionEvents } from "../inbound-request.js";
import type { Limits } from "../limits.js";
import type { Presented } from "./contexts.js";
import type { SecureState } from "./secure-state.js";

/** A client whose TLS handshake is done, with the connection that carries it. */
export interface SecureClient {
  socket: TLSSocket;
  carrier: Socket;
  state: SecureState;
  presented: Presented;
}

/** A client connection over TLS: the same codec, limits and deadlines, on what was deciphered. */
export class SecureConnection extends ClientConnection {
  readonly secure: SecureState;
  readonly #carrier: Socket;

  constructor(client: SecureClient, limits: Limits, deadlines: Deadlines, events: ConnectionEvents) {
    super(client.socket, limits, deadlines, events);
    this.secure = client.state;
    this.#carrier = client.carrier;
  }

  /** TLS has no reset of its own: what carries it is reset, and no closing alert is sent. */
  override reset(): void {
    this.#carrier.resetAndDestroy();
    this.destroy();
  }
}
