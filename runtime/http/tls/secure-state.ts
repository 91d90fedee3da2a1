import { X509Certificate } from "node:crypto";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";

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

/** Client certificate, in nginx's terms. */
export interface ClientCertificate {
  /** "SUCCESS", "NONE" without a certificate, or "FAILED:" with the reason. */
  verify: string;
  /** As in RFC 2253, like `issuer`. */
  subject?: string;
  issuer?: string;
  /** Upper-case hex. */
  serial?: string;
  /** SHA-1, lower-case hex. */
  fingerprint?: string;
}

/** Handle that the types omit: `verifyError` returns OpenSSL's error, null for none. */
interface WithHandle {
  _handle: { verifyError(): (Error & { code?: string }) | null } | null;
}

/** @param depth maximum certificates between the client's and that of its authority */
export function clientCertificate(socket: TLSSocket, depth: number): ClientCertificate {
  // Typed as complete, but empty without a certificate. `getPeerX509Certificate` would take the chain apart
  // (Node 20).
  const shown: Partial<DetailedPeerCertificate> = socket.getPeerCertificate(true);
  // Node reports no error for a resumed session without a certificate, so only an existing one counts.
  if (shown.raw === undefined) return { verify: "NONE" };
  return { verify: verdict(socket, shown, depth), ...fieldsOf(new X509Certificate(shown.raw)) };
}

function verdict(socket: TLSSocket, shown: Partial<DetailedPeerCertificate>, depth: number): string {
  const handle = (socket as unknown as WithHandle)._handle;
  const error = handle === null ? new Error("the connection is closed") : handle.verifyError();
  if (error !== null) return `FAILED:${error.message}`;
  return between(shown) > depth ? "FAILED:certificate chain too long" : "SUCCESS";
}

/** Counts the certificates of a chain without the client's and a self-signed one, which Node may have or not. */
function between(own: Partial<DetailedPeerCertificate>): number {
  let count = 0;
  let before = own;
  for (;;) {
    const one: Partial<DetailedPeerCertificate> | undefined = before.issuerCertificate;
    if (one === undefined || one === before || one.issuerCertificate === one) return count;
    count++;
    before = one;
  }
}

function fieldsOf(own: X509Certificate): Omit<ClientCertificate, "verify"> {
  return {
    subject: inOrder(own.subject),
    issuer: inOrder(own.issuer),
    serial: own.serialNumber,
    fingerprint: own.fingerprint.replaceAll(":", "").toLowerCase(),
  };
}

/** Reverses the parts of a name: Node gives one line each, already escaped; RFC 2253 puts the last first. */
const inOrder = (name: string): string => name.split("\n").reverse().join(",");
