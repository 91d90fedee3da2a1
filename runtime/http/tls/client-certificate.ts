import { X509Certificate } from "node:crypto";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";

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
