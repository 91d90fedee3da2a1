import { createHash, randomBytes } from "node:crypto";
import type { CaptchaSiteKey, TaskType, Way } from "../../captcha-table.js";
import type { CaptchaParts, CaptchaRequest, LiveConfiguration, Sale, StatePlace } from "../contract.js";
import type { PowChallenge } from "../protocol.js";
import type { Score } from "../score/combine.js";
import { userAgentOf } from "../score/user-agent.js";
import { addressBinding } from "../verify/binding.js";
import { testSiteKey } from "../verify/test-keys.js";
import { ApiRejection, SessionEnd, sessionExpired } from "./refusal.js";

export type Tick = NonNullable<SessionRecord["tick"]>;
export type ShownTask = NonNullable<SessionRecord["task"]>;

/** Time to the tick: people read a page before they fill in its form. */
export const SESSION_MS = 1_800_000;

/** Plain JSON between two calls, one entry "session/<id>". */
export interface SessionRecord {
  site_key: string;
  hostname: string;
  action?: string;
  request_id: string;
  /** Keyed hash of the client prefix. */
  network: string;
  family: string;
  /** Hash of the full UA, which detects changes. */
  agent: string;
  /** The program's code follows from its seed (service/program/). */
  program: { run: number; issued: number };
  /** Work that the next call must bring. */
  pow?: PowChallenge & { issued: number };
  /** Set at the tick if a task is needed. */
  tick?: {
    at: number;
    score: number;
    /** A browser ran the program for this session and in time. */
    proven: boolean;
    reasons: Score["reasons"];
    activation: string;
    pow: { bits: number; ms: number };
    /** Absent for test keys. */
    sale?: Sale;
  };
  tasks: { type: Way; ok: boolean; ms: number }[];
  failed: number;
  skipped: number;
  retasked: number;
  scripted?: number;
  /** Bits of the work for the next task. */
  paid: number;
  /** Epoch ms. */
  nextAt: number;
  chosen?: TaskType;
  /** Index of the site key's first picture type (api/task-choice.ts). */
  picture?: number;
  /** Way without a puzzle; times in epoch ms. */
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

/** Test keys only while testing (H10). */
export function usableSiteKey(live: LiveConfiguration, id: string): CaptchaSiteKey | undefined {
  if (live.settings.testing) {
    const test = testSiteKey(id);
    if (test !== undefined) return test;
  }
  const siteKey = live.siteKeys.get(id);
  if (siteKey === undefined || !siteKey.enabled) return undefined;
  return live.customers.get(siteKey.customer)?.enabled === true ? siteKey : undefined;
}

/** One call of a frame: its changes of `session` are stored after it. */
export interface SessionCall {
  parts: CaptchaParts;
  request: CaptchaRequest;
  siteKey: CaptchaSiteKey;
  id: string;
  session: SessionRecord;
}

/** `ended`: the session is not stored again. */
export interface Step<Answer> {
  answer: Answer;
  ended?: boolean;
}

export function isOwner(
  request: CaptchaRequest,
  live: LiveConfiguration,
  owner: Pick<SessionRecord, "network" | "family">,
): boolean {
  const { network, family } = belongsTo(request, live);
  return owner.network === network && owner.family === family;
}

/**
 * Removes the entry, runs the call and stores the entry again with its changes: of two simultaneous calls one
 * finds none. A call that fails other than by `SessionEnd` leaves the session unchanged. So does a call of
 * another network or UA family (A46): the owner is checked before the removal.
 * @throws Refusal
 */
export async function inSession<Answer>(
  parts: CaptchaParts,
  request: CaptchaRequest,
  id: string,
  use: (call: SessionCall) => Promise<Step<Answer>>,
): Promise<Answer> {
  const live = parts.configuration();
  const known = (await parts.states.get(`session/${id}`)) as SessionRecord | undefined;
  if (known === undefined || !isOwner(request, live, known)) throw sessionExpired();
  const before = (await parts.states.take(`session/${id}`)) as SessionRecord | undefined;
  if (before === undefined) throw sessionExpired();
  const siteKey = usableSiteKey(live, before.site_key);
  if (siteKey === undefined) throw new ApiRejection(403, "invalid_sitekey");
  const session = structuredClone(before);
  try {
    const { answer, ended } = await use({ parts, request, siteKey, id, session });
    if (!ended) await putSession(parts, id, session);
    return answer;
  } catch (error) {
    if (!(error instanceof SessionEnd)) await putSession(parts, id, before).catch(() => undefined);
    throw error;
  }
}

/** Idle before the tick: such a session has cost its visitor nothing and is evicted first. */
export const putSession = (parts: CaptchaParts, id: string, session: SessionRecord): Promise<void> =>
  parts.states.put(`session/${id}`, session, SESSION_MS, {
    kind: "session",
    network: session.network,
    idle: session.tick === undefined,
  });

/** Counts the small entries of a session: answers, references, scores. */
export const answerPlace = ({ network }: Pick<SessionRecord, "network">): StatePlace => ({
  kind: "answer",
  network,
});
