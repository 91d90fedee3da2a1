import { X509Certificate } from "node:crypto";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";

/** State of a client's TLS connection, which is readable after its end. */
export class SecureState {
  readonly serverName: string | undefined;
  /** True if a certificate was requested and the client presented no valid one. */
  readonly lacksCertificate: boolean;
  readonly #variables: Readonly<Record<string, string | undefined>>;

  /** @param client undefined if no certificate was requested; `serverName` as the client named it, in lower case */
  constructor(socket: TLSSocket, serverName: string | undefined, client?: ClientCertificate) {
    this.serverName = serverName;
    this.lacksCertificate = client !== undefined && client.client_verify !== "SUCCESS";
    this.#variables = {
      protocol: socket.getProtocol() ?? undefined,
      cipher: socket.getCipher().name,
      server_name: serverName,
      session_reused: socket.isSessionReused() ? "r" : ".",
      client_verify: "NONE",
      ...client,
    };
  }

  /** Returns a variable by nginx's name without `ssl_`. */
  variable(name: string): string | undefined {
    return this.#variables[name];
  }
}

/** Client certificate, by nginx's names without `ssl_`. */
interface ClientCertificate {
  /** "SUCCESS", "NONE" without a certificate, or "FAILED:" with the reason. */
  client_verify: string;
  /** As in RFC 2253, like `client_i_dn`. */
  client_s_dn?: string;
  client_i_dn?: string;
  /** Upper-case hex. */
  client_serial?: string;
  /** SHA-1, lower-case hex. */
  client_fingerprint?: string;
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
  if (shown.raw === undefined) return { client_verify: "NONE" };
  const own = new X509Certificate(shown.raw);
  return {
    client_verify: verdict(socket, shown, depth),
    client_s_dn: inOrder(own.subject),
    client_i_dn: inOrder(own.issuer),
    client_serial: own.serialNumber,
    client_fingerprint: own.fingerprint.replaceAll(":", "").toLowerCase(),
  };
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

/** Reverses the parts of a name: Node gives one line each, already escaped; RFC 2253 puts the last first. */
const inOrder = (name: string): string => name.split("\n").reverse().join(",");
