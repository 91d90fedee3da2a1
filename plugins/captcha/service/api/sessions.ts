import { createHash, randomBytes } from "node:crypto";
import type { CaptchaSiteKey, TaskType, Way } from "../../captcha-table.js";
import type { CaptchaParts, CaptchaRequest, LiveConfiguration, Sale, StatePlace } from "../contract.js";
import type { PowChallenge } from "../protocol.js";
import type { Score } from "../score/combine.js";
import { userAgentOf } from "../score/user-agent.js";
import { addressBinding } from "../verify/binding.js";
import { testSiteKey } from "../verify/test-keys.js";
import { Refusal, SessionEnd, sessionExpired } from "./refusal.js";

/** Milliseconds in which a session must be ticked: people read a page before they fill its form. */
export const SESSION_MS = 1_800_000;

/** What is kept of a visitor between two calls: plain JSON, one entry "session/<id>". */
export interface SessionRecord {
  site_key: string;
  hostname: string;
  action?: string;
  request_id: string;
  /** Whom it belongs to: keyed hash of the client prefix, family of the UA. */
  network: string;
  family: string;
  /** Hash of the whole UA, to see whether it changes. */
  agent: string;
  /** The program that it has been given last, and when; the program itself follows from the seed (service/program/). */
  program: { run: number; issued: number };
  /** Work that the next call has to bring. */
  pow?: PowChallenge & { issued: number };
  /** Set at the tick, when a task is needed. */
  tick?: {
    at: number;
    score: number;
    /** Its program was run by a browser, for this session and in time. */
    proven: boolean;
    reasons: Score["reasons"];
    activation: string;
    pow: { bits: number; ms: number };
    /** Absent for test keys. */
    sale?: Sale;
  };
  /** The latest ones, at most 20. */
  tasks: { type: Way; ok: boolean; ms: number }[];
  failed: number;
  skipped: number;
  /** Right answers that got another task for behaviour (C26). */
  retasked: number;
  /** Right answers whose steps a script made. */
  scripted?: number;
  /** Bits of the work that was brought for the next task. */
  paid: number;
  /** Epoch milliseconds before which there is no next task. */
  nextAt: number;
  /** What the visitor asked for last. */
  chosen?: TaskType;
  /** Which of the site key's pictures came first; failures decide about the others (api/task-choice.ts). */
  picture?: number;
  /** The way without a puzzle was begun: when, its level, and until when it takes; epoch milliseconds. */
  patience?: { at: number; until: number; level: number };
  task?: { id: string; type: TaskType; at: number; parts: string[]; level?: number };
}

/** 128 random bits, base64url. */
export const newId = (): string => randomBytes(16).toString("base64url");

/** `req_` and 130 random bits in base32 (reference 5.1). */
export function newRequestId(): string {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  return `req_${Array.from(randomBytes(26), (byte) => alphabet[byte & 31]).join("")}`;
}

/** Whom a request comes from, as sessions know it. */
export function belongsTo(
  { client, headers }: CaptchaRequest,
  { secrets }: LiveConfiguration,
): Pick<SessionRecord, "network" | "family" | "agent"> {
  const agent = headers.get("User-Agent") ?? "";
  return {
    network: addressBinding(client, "prefix", secrets["ip-binding"]) ?? "",
    family: userAgentOf(agent).family,
    agent: createHash("sha256").update(agent, "latin1").digest("base64url").slice(0, 22),
  };
}

/** The settings of a site key that may be used now (H10: test keys only while testing). */
export function usableSiteKey(live: LiveConfiguration, id: string): CaptchaSiteKey | undefined {
  if (live.settings.testing) {
    const test = testSiteKey(id);
    if (test !== undefined) return test;
  }
  const siteKey = live.siteKeys.get(id);
  if (siteKey === undefined || !siteKey.enabled) return undefined;
  return live.customers.get(siteKey.customer)?.enabled === true ? siteKey : undefined;
}

/** What a call does with its session: what it answers, and what is left of the session; null: it has come to its end. */
export interface Step<Answer> {
  answer: Answer;
  session: SessionRecord | null;
}

/** Whether a request comes from the network and the browser family that something was made for. */
export function isOwner(
  request: CaptchaRequest,
  live: LiveConfiguration,
  owner: Pick<SessionRecord, "network" | "family">,
): boolean {
  const { network, family } = belongsTo(request, live);
  return owner.network === network && owner.family === family;
}

/**
 * Runs a call inside its session. The entry is taken out first, so of two calls at the same time one finds none, and is put
 * back with what the call changed. A call that fails otherwise than by `SessionEnd` leaves the session as it was, and so does one of
 * another network or UA family (A46): it is looked at before anything is taken, so that nobody can destroy another's session.
 * @throws Refusal
 */
export async function inSession<Answer>(
  parts: CaptchaParts,
  request: CaptchaRequest,
  id: string,
  use: (session: SessionRecord, siteKey: CaptchaSiteKey) => Promise<Step<Answer>>,
): Promise<Answer> {
  const live = parts.configuration();
  const known = (await parts.states.get(`session/${id}`)) as SessionRecord | undefined;
  if (known === undefined || !isOwner(request, live, known)) throw sessionExpired();
  const entry = await parts.states.take(`session/${id}`);
  if (entry === undefined) throw sessionExpired();
  const before = entry as SessionRecord;
  const siteKey = usableSiteKey(live, before.site_key);
  if (siteKey === undefined) throw new Refusal(403, "invalid_sitekey");
  try {
    const { answer, session } = await use(structuredClone(before), siteKey);
    if (session !== null) await putSession(parts, id, session);
    return answer;
  } catch (error) {
    if (!(error instanceof SessionEnd)) await putSession(parts, id, before).catch(() => undefined);
    throw error;
  }
}

/** Until the tick a session has cost its visitor nothing, so those go first where room is short. */
export const putSession = (parts: CaptchaParts, id: string, session: SessionRecord): Promise<void> =>
  parts.states.put(`session/${id}`, session, SESSION_MS, {
    kind: "session",
    network: session.network,
    idle: session.tick === undefined,
  });

/** Where the small things of a session are counted: answers, references, scores. */
export const answerPlace = ({ network }: Pick<SessionRecord, "network">): StatePlace => ({
  kind: "answer",
  network,
});
