import type {
  CaptchaHandler,
  CaptchaParts,
  CaptchaRequest,
  CaptchaResponse,
  CheckReply,
  Endpoint,
} from "../contract.js";
import { json } from "../http/answer.js";
import { MAX_BITS } from "../pow/proof.js";
import { API } from "../protocol.js";
import type { Shape } from "../score/shape.js";
import { answerTask } from "./answer.js";
import { beginSession } from "./begin.js";
import { nextTask } from "./next-task.js";
import { fetchPart } from "./open-tasks.js";
import { bePatient } from "./patience.js";
import { renewProgram } from "./program.js";
import { ApiRejection, invalidRequest, refusalAnswer } from "./refusal.js";
import { inSession, type SessionCall, type Step } from "./sessions.js";
import {
  ANSWER_REQUEST,
  NEXT_REQUEST,
  PATIENCE_REQUEST,
  PROGRAM_REQUEST,
  SESSION_REQUEST,
  TICK_REQUEST,
} from "./shapes.js";
import { Scoring } from "./tick.js";

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i;
/** The server rejects larger bodies earlier. */
const MAX_BYTES = 16_384;

/**
 * Only our own frames may call: browsers send `Origin`, and CORS allows no other origin.
 * @param origin own origin, as browsers write it
 * @throws Refusal
 */
function readRequest<T>(request: CaptchaRequest, origin: string, shape: Shape<T>): T {
  if (request.method !== "POST") throw invalidRequest(405);
  const origins = request.headers.getAll("Origin");
  if (origins.length !== 1 || origins[0] !== origin) throw invalidRequest(403);
  if (!JSON_TYPE.test(request.headers.get("Content-Type") ?? "")) throw invalidRequest(415);
  if (request.body.length > MAX_BYTES) throw new ApiRejection(413, "invalid_request");
  const value = parsed(request.body);
  if (!shape(value)) throw invalidRequest();
  return value;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(UTF8.decode(body));
  } catch {
    throw invalidRequest();
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const ANSWER_PATH = /^\/api\/v1\/task\/([A-Za-z0-9_-]{22})\/answer$/;
const PART_PATH = /^\/api\/v1\/task\/([A-Za-z0-9_-]{22})\/([a-z][a-z0-9_-]{0,31}\.(?:png|wav))$/;

export interface ApiOptions {
  /** The only code that reads answers. */
  checkReply: CheckReply;
  /** Default: 18. A test that solves a thousand tasks in a row lowers it. */
  mostBits?: number;
}

/** Calls as a metric label. */
type Call = "session" | "program" | "score" | "next" | "answer" | "patience" | "part";

/** API for the frames (protocol.ts): same origin, JSON, never CORS; responses are not cacheable. */
export function apiEndpoints(parts: CaptchaParts, { checkReply, mostBits = MAX_BITS }: ApiOptions): Endpoint {
  const scoring = new Scoring(() => parts.clock.monotonic());
  const post = <T>(
    call: Call,
    shape: Shape<T>,
    use: (request: CaptchaRequest, body: T) => Promise<object>,
  ): CaptchaHandler =>
    counted(parts, call, async (request) => {
      const origin = new URL(parts.configuration().settings.url).origin;
      return json(200, await use(request, readRequest(request, origin, shape)));
    });
  const inOwn = <T extends { session: string }>(
    name: Call,
    shape: Shape<T>,
    use: (call: SessionCall, body: T) => Promise<Step<object>>,
  ): CaptchaHandler =>
    post(name, shape, (request, body) => inSession(parts, request, body.session, (call) => use(call, body)));
  const fixed: ReadonlyMap<string, CaptchaHandler> = new Map([
    [
      `${API}/session`,
      post("session", SESSION_REQUEST, (request, body) => beginSession(parts, request, body)),
    ],
    [`${API}/program`, inOwn("program", PROGRAM_REQUEST, renewProgram)],
    [`${API}/score`, inOwn("score", TICK_REQUEST, (call, body) => scoring.tick(call, body))],
    [`${API}/task/next`, inOwn("next", NEXT_REQUEST, (call, body) => nextTask(call, body, mostBits))],
    [`${API}/patience`, inOwn("patience", PATIENCE_REQUEST, (call, body) => bePatient(call, body, mostBits))],
  ]);
  return (path) => {
    const handler = fixed.get(path);
    if (handler !== undefined) return handler;
    const [, answered] = ANSWER_PATH.exec(path) ?? [];
    if (answered !== undefined)
      return inOwn("answer", ANSWER_REQUEST, (call, body) => answerTask(call, answered, body, checkReply));
    const [, task, file] = PART_PATH.exec(path) ?? [];
    if (task === undefined || file === undefined) return null;
    return counted(parts, "part", (request) => fetchPart(parts, request, task, file));
  };
}

function counted(
  { metrics }: CaptchaParts,
  call: Call,
  handler: (request: CaptchaRequest) => Promise<CaptchaResponse>,
): CaptchaHandler {
  const count = (outcome: string) =>
    metrics.counter("gw_captcha_api_answers_total", "Answers of the frame API.", { call, outcome }).add(1);
  return async (request) => {
    try {
      const answer = await handler(request);
      count("ok");
      return answer;
    } catch (error) {
      const answer = refusalAnswer(error);
      count(error instanceof ApiRejection ? error.body.error : "service_unavailable");
      return answer;
    }
  };
}
