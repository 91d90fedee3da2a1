import type { TLSSocket } from "node:tls";

/** What is known of a client's TLS connection; it stays known when the connection is over. */
export class SecureState {
  readonly serverName: string | undefined;
  readonly #protocol: string | undefined;
  readonly #cipher: string;
  readonly #reused: boolean;

  /** @param serverName as the client named it, in lower case */
  constructor(socket: TLSSocket, serverName: string | undefined) {
    this.serverName = serverName;
    this.#protocol = socket.getProtocol() ?? undefined;
    this.#cipher = socket.getCipher().name;
    this.#reused = socket.isSessionReused();
  }

  /** A variable of nginx's name, without `ssl_`. */
  variable(name: string): string | undefined {
    switch (name) {
      case "protocol":
        return this.#protocol;
      case "cipher":
        return this.#cipher;
      case "server_name":
        return this.serverName;
      case "session_reused":
        return this.#reused ? "r" : ".";
      case "client_verify":
        return "NONE";
      default:
        return undefined;
    }
  }
}
