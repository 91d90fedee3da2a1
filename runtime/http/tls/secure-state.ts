import type { TLSSocket } from "node:tls";
import type { ClientCertificate } from "./client-certificate.js";

/** State of a client's TLS connection, which is readable after its end. */
export class SecureState {
  readonly serverName: string | undefined;
  readonly #protocol: string | undefined;
  readonly #cipher: string;
  readonly #reused: boolean;

  readonly #client: ClientCertificate | undefined;

  /** @param client undefined if no certificate was requested; `serverName` as the client named it, in lower case */
  constructor(socket: TLSSocket, serverName: string | undefined, client?: ClientCertificate) {
    this.#client = client;
    this.serverName = serverName;
    this.#protocol = socket.getProtocol() ?? undefined;
    this.#cipher = socket.getCipher().name;
    this.#reused = socket.isSessionReused();
  }

  /** True if a certificate was requested and the client presented no valid one. */
  get lacksCertificate(): boolean {
    return this.#client !== undefined && this.#client.verify !== "SUCCESS";
  }

  /** Returns a variable by nginx's name without `ssl_`. */
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
        return this.#client?.verify ?? "NONE";
      case "client_s_dn":
        return this.#client?.subject;
      case "client_i_dn":
        return this.#client?.issuer;
      case "client_serial":
        return this.#client?.serial;
      case "client_fingerprint":
        return this.#client?.fingerprint;
      default:
        return undefined;
    }
  }
}
