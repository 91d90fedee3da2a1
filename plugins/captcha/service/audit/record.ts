import type { DecisionRecord, VerificationRecord } from "../contract.js";

const MAX_REASONS = 8;
const MAX_TASKS = 20;
/** `site_key` and `request_id` of a verification come from outside. */
const MAX_TEXT = 128;

/** Copies known fields: no trail, full UA, address, token or answer gets into a log (reference 3.5, A28). */
export function decisionFields(record: DecisionRecord): DecisionRecord {
  const { request_id, site_key, hostname, decision, score, threshold, model, activation } = record;
  return {
    request_id,
    site_key,
    hostname,
    decision,
    score,
    threshold,
    reasons: record.reasons.slice(0, MAX_REASONS).map(({ code, weight }) => ({ code, weight })),
    model,
    activation,
    pow: { bits: record.pow.bits, ms: record.pow.ms },
    ...(record.price === undefined
      ? {}
      : { price: { stage: record.price.stage, attack: record.price.attack } }),
    tasks: record.tasks.slice(-MAX_TASKS).map(({ type, ok, ms }) => ({ type, ok, ms })),
    ...(record.solved_ms === undefined ? {} : { solved_ms: record.solved_ms }),
    address_hash: record.address_hash,
    browser: record.browser,
  };
}

export function verificationFields(record: VerificationRecord): VerificationRecord {
  const { success, error, reason, ip } = record;
  return {
    request_id: record.request_id?.slice(0, MAX_TEXT),
    site_key: record.site_key.slice(0, MAX_TEXT),
    customer: record.customer,
    success,
    ...(error === undefined ? {} : { error }),
    ...(reason === undefined ? {} : { reason }),
    ip,
  };
}
