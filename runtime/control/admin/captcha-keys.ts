import { randomBytes } from "node:crypto";
import { apiKeyDigest, newApiKey } from "../../../plugins/captcha/service/verify/api-key.js";
import type { WriteContext } from "../configuration.js";
import type { JsonObject } from "../store/store.js";
import { type Answer, failure } from "./answer.js";
import type { AdminKind } from "./kinds.js";

/** What an API key consists of, which only the gateway writes. */
const OWN = ["key", "digest"];

/**
 * Why a body (or the path into a resource) is refused that brings an API key of its own: keys are made here, so that none is
 * weak, and none is known to more than its receiver.
 */
export function foreignKey({ segment }: AdminKind, fields: Iterable<string>): string | undefined {
  if (segment !== "captcha_api_keys") return undefined;
  for (const field of fields)
    if (OWN.includes(field)) return `the property is forbidden: ${field}, the gateway makes it`;
  return undefined;
}

/** What is added to a resource before it is stored, and what its writer is shown this once. */
export type Issued = { fields: JsonObject; secret?: string } | { answer: Answer };

/**
 * An API key that is new gets its text, of which only the digest is kept (captcha reference 5.6, H34); one that exists keeps
 * its digest. Other resources get nothing.
 * @param pepper what digests are made with; undefined where no captcha is configured
 */
export function issued(
  { segment }: AdminKind,
  id: string,
  { resources }: WriteContext,
  pepper: Buffer | undefined,
): Issued {
  // A resource from a file goes on to the compiler, which says where it is defined.
  if (segment !== "captcha_api_keys" || resources.fromFile(segment, id)) return { fields: {} };
  const digest = resources.get(segment, id)?.value?.["digest"];
  if (digest !== undefined) return { fields: { digest } };
  if (!pepper) {
    const message =
      'API keys are made with the secret of the captcha: the configuration has no section "captcha"';
    return { answer: failure(400, message) };
  }
  const { key } = newApiKey(id);
  return { fields: { digest: apiKeyDigest(pepper, key) }, secret: key };
}

/** The id of a key that is written without one; undefined for other kinds. 96 random bits: nobody guesses a site key. */
export function newKeyId({ segment }: AdminKind): string | undefined {
  if (segment === "captcha_api_keys") return newApiKey().id;
  return segment === "captcha_site_keys" ? `sk_${randomBytes(12).toString("base64url")}` : undefined;
}
