import type { X509Certificate } from "node:crypto";
import type { CertificateFilePaths } from "../../runtime/abi/certificates.js";
import { environmentReferences } from "../../runtime/abi/environment.js";
import { areRivals, covers, epochSeconds, holdsKey, readChain, readKey } from "../../runtime/abi/pem.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Report } from "../model/diagnostic.js";
import type { Resource } from "../model/resource.js";
import type { Path } from "../model/source.js";
import type { ResourceCheck, ResourceLists } from "../plugin/contributions.js";

/** Fields that are read here; the value satisfies schema/ssl.json. */
export interface SslValue {
  sni?: string;
  snis?: string[];
  /** First certificate with its key, or the files of both. */
  cert?: string;
  key?: string;
  cert_file?: string;
  key_file?: string;
  certs?: string[];
  keys?: string[];
  client?: { ca: string; depth?: number };
  status?: 0 | 1;
}

/** Chain with its key, and their paths in the resource. */
export interface ChainInput {
  cert: string;
  key: string;
  certAt: Path;
  keyAt: Path;
}

export function chainsOf({ cert, key, certs = [], keys = [] }: SslValue): ChainInput[] {
  return [
    ...(cert === undefined ? [] : [{ cert, key: key ?? "", certAt: ["cert"], keyAt: ["key"] }]),
    ...certs.map((one, i) => ({ cert: one, key: keys[i] ?? "", certAt: ["certs", i], keyAt: ["keys", i] })),
  ];
}

/** Files of the first chain; undefined if the resource contains its texts. */
export const filesOf = ({ cert_file: cert, key_file: key }: SslValue): CertificateFilePaths | undefined =>
  cert === undefined || key === undefined ? undefined : { cert, key };

/** Server names in lower case, with paths. */
export function namesOf({ sni, snis = [] }: SslValue): { name: string; at: Path }[] {
  const written = snis.map((name, i): { name: string; at: Path } => ({ name, at: ["snis", i] }));
  if (sni !== undefined) written.unshift({ name: sni, at: ["sni"] });
  return written.map(({ name, at }) => ({ name: name.toLowerCase(), at }));
}

/** Checks each alone and all together. */
export function checkCertificates(resources: ResourceLists, { now, report }: ResourceCheck): void {
  const owners = new Map<string, Resource<SslValue>>();
  for (const resource of resources.written<SslValue>("ssls")) {
    const { value } = resource;
    if ((value.certs?.length ?? 0) !== (value.keys?.length ?? 0)) {
      report(diagnostic("GW3060", resource.spans.value(["certs"]), { id: resource.id }));
      continue;
    }
    const { lasting, dates } = checkAlone(resource);
    for (const finding of lasting) report(finding);
    for (const { certAt, ...validity } of dates) checkDate(resource, validity, certAt, now, report);
    if (value.status !== 0) checkNames(resource, owners, report);
  }
}

interface CheckedSsl {
  /** Diagnostics that do not depend on the time. */
  lasting: readonly Diagnostic[];
  dates: readonly (Validity & { certAt: Path })[];
}

/** Period, with dates as OpenSSL prints them. */
interface Validity {
  from: string;
  until: string;
}

const validityOf = ({ validFrom, validTo }: X509Certificate): Validity => ({
  from: validFrom,
  until: validTo,
});

/** Earlier checks: reading a key and its chain takes 0.2 ms, and each write of one certificate checks all. */
const JUDGED = new WeakMap<Resource<SslValue>, CheckedSsl>();

function checkAlone(resource: Resource<SslValue>): CheckedSsl {
  const known = JUDGED.get(resource);
  if (known !== undefined) return known;
  const { id, spans, value, from } = resource;
  const lasting: Diagnostic[] = [];
  const report = (finding: Diagnostic) => lasting.push(finding);
  if (from === "store" && filesOf(value) !== undefined)
    report(diagnostic("GW3075", spans.key(["cert_file"]), { id }));
  const presented = chainsOf(value).flatMap((chain) => {
    const own = checkChain(resource, chain, report);
    return own === undefined ? [] : [{ own, certAt: chain.certAt }];
  });
  checkKinds(resource, presented, report);
  const { ca } = value.client ?? {};
  const caAt = spans.value(["client", "ca"]);
  if (ca !== undefined && (holdsKey(ca) || readChain(ca) === undefined))
    report(diagnostic(holdsKey(ca) ? "GW3069" : "GW3061", caAt, { id }));
  const dates = presented.map(({ own, certAt }) => ({ ...validityOf(own), certAt }));
  const verdict = { lasting, dates };
  JUDGED.set(resource, verdict);
  return verdict;
}

/**
 * Seconds of remaining validity that cause a warning. Certificates for 90 days are renewed 30 days before;
 * with 14 days left the renewal has failed.
 */
const SOON = 14 * 86_400;

/** @returns the certificate to present; undefined if it cannot be read */
function checkChain(
  resource: Resource<SslValue>,
  { cert, key, certAt, keyAt }: ChainInput,
  report: Report,
): X509Certificate | undefined {
  const { id, spans } = resource;
  if (holdsKey(cert)) {
    report(diagnostic("GW3069", spans.value(certAt), { id }));
    return undefined;
  }
  const [own] = readChain(cert) ?? [];
  if (own === undefined) {
    report(diagnostic("GW3061", spans.value(certAt), { id }));
    return undefined;
  }
  // Values of variables are known only where the gateway runs.
  if (environmentReferences(key).length === 0) {
    const read = readKey(key);
    if (read === undefined) report(diagnostic("GW3062", spans.value(keyAt), { id }));
    else if (!own.checkPrivateKey(read)) report(diagnostic("GW3063", spans.value(keyAt), { id }));
  }
  checkCovered(resource, own, report);
  return own;
}

/** OpenSSL presents only one certificate of a resource with the same kind of key. */
function checkKinds(
  { id, spans }: Resource<SslValue>,
  presented: readonly { own: X509Certificate; certAt: Path }[],
  report: Report,
): void {
  for (const [at, { own, certAt }] of presented.entries()) {
    const other = presented.slice(0, at).find((earlier) => areRivals(earlier.own, own));
    if (other === undefined) continue;
    const kind = own.publicKey.asymmetricKeyType ?? "";
    const notes = [{ message: "the other certificate", span: spans.value(other.certAt) }];
    report(diagnostic("GW3076", spans.value(certAt), { id, kind }, { notes }));
  }
}

export function checkDatesAndNames(
  resource: Resource<SslValue>,
  own: X509Certificate,
  certAt: Path,
  now: number | undefined,
  report: Report,
): void {
  checkDate(resource, validityOf(own), certAt, now, report);
  checkCovered(resource, own, report);
}

function checkDate(
  { id, spans }: Resource<SslValue>,
  { from, until }: Validity,
  certAt: Path,
  now: number | undefined,
  report: Report,
): void {
  const span = spans.value(certAt);
  if (now !== undefined && epochSeconds(from) > now) report(diagnostic("GW3070", span, { id, from }));
  if (now !== undefined && epochSeconds(until) < now)
    // In a write this is a mistake. A certificate that expired in a running gateway must not block other
    // changes.
    report(diagnostic(isWrite(span.file) ? "GW3064" : "GW3065", span, { id, until }));
  else if (now !== undefined && epochSeconds(until) < now + SOON)
    report(diagnostic("GW3068", span, { id, until }));
}

function checkCovered({ id, spans, value }: Resource<SslValue>, own: X509Certificate, report: Report): void {
  for (const { name, at } of namesOf(value))
    if (name !== "*" && !covers(own, name)) report(diagnostic("GW3066", spans.value(at), { id, name }));
}

const isWrite = (file: string): boolean => /^(?:PUT|POST|PATCH) /.test(file);

function checkNames(
  resource: Resource<SslValue>,
  owners: Map<string, Resource<SslValue>>,
  report: Report,
): void {
  for (const { name, at } of namesOf(resource.value)) {
    const owner = owners.get(name);
    if (owner === undefined) owners.set(name, resource);
    else {
      const note = { message: "it is also listed here", span: owner.spans.value([]) };
      const params = { id: resource.id, name, other: owner.id };
      report(diagnostic("GW3067", resource.spans.value(at), params, { notes: [note] }));
    }
  }
}
