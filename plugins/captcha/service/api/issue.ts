import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { DecisionRecord, TokenClaims } from "../contract.js";
import type { TokenAnswer } from "../protocol.js";
import { addressHash } from "../rate/prefix-rates.js";
import { MODEL_VERSION } from "../score/model.js";
import { browserText, userAgentOf } from "../score/user-agent.js";
import { sealWinning, type Winning } from "../token/winning.js";
import { addressBinding } from "../verify/binding.js";
import { isTestKey } from "./sale.js";
import { answerPlace, type SessionCall, type Tick } from "./sessions.js";

/** Ends a session (C28, C30); nothing after it may fail. @throws StorageError */
export async function issueToken(
  { parts, request, siteKey, session }: SessionCall,
  { how, tick, level = 0 }: { how: TokenClaims["how"]; tick: Tick; level?: number },
): Promise<TokenAnswer> {
  const { secrets } = parts.configuration();
  const ipb = addressBinding(request.client, siteKey.ipBinding, secrets["ip-binding"]);
  const isTest = isTestKey(parts, siteKey);
  const ttlMs = siteKey.tokenTtl * 1_000;
  // Stored first, so that no backend asks for a score that is not there yet.
  if (siteKey.exposeScore)
    await parts.states.put(`score/${session.request_id}`, tick.score, ttlMs, answerPlace(session));
  const token = await parts.tokens.issue(
    {
      request_id: session.request_id,
      site_key: siteKey.id,
      hostname: session.hostname,
      how,
      ...(session.action === undefined ? {} : { action: session.action }),
      ...(ipb === undefined ? {} : { ipb }),
      won: sealWinning(winningOf(how, tick, level, siteKey), session.request_id, secrets["key-ring"]),
      ...(isTest ? { test: true } : {}),
    },
    ttlMs,
  );
  parts.rates.add("token_issued", request.client, siteKey.id);
  if (!isTest) parts.prices.count(siteKey.id, "tokens");
  // `iat` is in whole seconds: the token's life began up to a second ago.
  return { outcome: "token", token, ttl_ms: ttlMs - (Math.floor(parts.clock.now()) % 1_000) };
}

function winningOf(
  how: TokenClaims["how"],
  { sale, reasons, pow }: Tick,
  level: number,
  { powBits }: CaptchaSiteKey,
): Winning {
  const without = pow.bits > powBits ? "work" : "none";
  return {
    how: how === "score" ? without : how === "task" ? "picture" : how,
    level,
    reasons,
    attack: sale?.attack ?? 0,
    networks: sale?.networks ?? [],
  };
}

/**
 * Writes the audit record of reference 3.5.
 * @param reasons of a task's behaviour, in place of those of the tick
 */
export function auditDecision(
  { parts, request, siteKey, session }: SessionCall,
  decision: DecisionRecord["decision"],
  tick: Tick,
  reasons: DecisionRecord["reasons"] = tick.reasons,
): void {
  const now = parts.clock.now();
  const isToken = decision === "token" || decision === "shadow";
  parts.audit.decision({
    request_id: session.request_id,
    site_key: session.site_key,
    hostname: session.hostname,
    decision,
    score: tick.score,
    threshold: siteKey.threshold,
    reasons,
    model: MODEL_VERSION,
    activation: tick.activation,
    pow: tick.pow,
    ...(tick.sale === undefined ? {} : { price: { stage: tick.sale.stage, attack: tick.sale.attack } }),
    tasks: session.tasks,
    ...(isToken ? { solved_ms: Math.max(0, now - tick.at) } : {}),
    address_hash: addressHash(parts.configuration().secrets.address, request.client, now),
    browser: browserText(userAgentOf(request.headers.get("User-Agent"))),
  });
}
