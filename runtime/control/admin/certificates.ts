import { X509Certificate } from "node:crypto";
import {
  answered,
  errorResponse,
  listOf,
  NUMBER,
  objectOf,
  TEXT,
  TRUE_OR_FALSE,
} from "../../process/operation.js";
import type { JsonObject } from "../store/store.js";
import { type ApiResponse, failure, json } from "./answer.js";
import type { AdminOperation, DispatchParts } from "./operation.js";

const DAY_MS = 86_400_000;
/** Certificates in a PEM text; ignores everything else, private keys above all. */
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const daysTo = (time: number): number => Math.floor((time - Date.now()) / DAY_MS);

function told(text: string, next: string | undefined): object {
  const one = new X509Certificate(text);
  const until = Date.parse(one.validTo);
  return {
    subject: line(one.subject),
    issuer: line(one.issuer),
    names: namesOf(one),
    not_before: new Date(one.validFrom).toISOString(),
    not_after: new Date(until).toISOString(),
    days: daysTo(until),
    fingerprint: one.fingerprint256,
    self_signed: one.checkIssued(one),
    issued_by_next: next === undefined ? null : one.checkIssued(new X509Certificate(next)),
  };
}

/** Joins the parts of a name: Node puts each on its own line. */
const line = (name: string | undefined): string => (name ?? "").split("\n").join(", ");

const namesOf = ({ subjectAltName = "" }: X509Certificate): string[] =>
  subjectAltName
    .split(", ")
    .filter((name) => name !== "")
    .map((name) => name.replace(/^(?:DNS|IP Address):/, ""));

/** Describes each certificate of a PEM text, in order. @throws Error if one cannot be parsed */
function chainOf(pem: string): object[] {
  const blocks = pem.match(BLOCK) ?? [];
  return blocks.map((block, i) => told(block, blocks[i + 1]));
}

function oneOf({ certificates, configuration }: DispatchParts, id: string): ApiResponse {
  const presented = certificates.chains(id);
  const { resources } = configuration;
  const value = (resources.get("ssls", id) ?? resources.fromFile("ssls", id))?.value ?? undefined;
  const texts = presented ?? (value && textsOf(value));
  if (texts === undefined) return failure(404, `there is no certificate ${id}`);
  return json(200, { id, in_use: presented !== undefined, chains: texts.map(chainOf) });
}

function textsOf({ cert, certs = [] }: JsonObject): string[] {
  return [cert, ...(Array.isArray(certs) ? certs : [])].filter((one) => typeof one === "string");
}

const CERTIFICATE = objectOf({
  ...{ subject: TEXT, issuer: TEXT, names: listOf(TEXT), not_before: TEXT, not_after: TEXT },
  days: { ...NUMBER, description: "Whole days until the certificate expires; negative: it has expired." },
  fingerprint: { ...TEXT, description: "SHA-256." },
  self_signed: TRUE_OR_FALSE,
  issued_by_next: { type: ["boolean", "null"], description: "Null for the last one of the chain." },
});

/** Operations that show the certificates of `ssls`, never their keys. A gwc extension. */
export const CERTIFICATE_OPERATIONS: readonly AdminOperation[] = [
  {
    method: "GET",
    path: "certificates",
    name: "listCertificates",
    summary: "Expiry of the certificates in use",
    answers: {
      200: answered(
        "for each ssls resource, its certificate that expires first",
        objectOf({ certificates: listOf(objectOf({ id: TEXT, expires: TEXT, days: NUMBER })) }),
      ),
    },
    answer: ({ certificates }) =>
      json(200, {
        certificates: certificates.dates().map(({ ssl, expires }) => ({
          ...{ id: ssl, expires: new Date(expires * 1_000).toISOString(), days: daysTo(expires * 1_000) },
        })),
      }),
  },
  {
    method: "GET",
    path: "certificates/{id}",
    name: "readCertificate",
    summary: "The certificates of an ssls resource, chain by chain",
    answers: {
      200: answered(
        "the server's certificate first in each chain; in_use: it is presented",
        objectOf({ id: TEXT, in_use: TRUE_OR_FALSE, chains: listOf(listOf(CERTIFICATE)) }),
      ),
      404: errorResponse("no such resource"),
    },
    answer: (parts, _request, [id = ""]) => oneOf(parts, id),
  },
];
