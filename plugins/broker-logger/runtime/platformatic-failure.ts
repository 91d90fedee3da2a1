import { messageOf } from "../../../runtime/abi/error-message.js";
import { failureOfAnswer } from "./answers.js";
import { ProduceError, type ProduceFailure } from "./client.js";

/** What is read of an error of the library: `apiId` names a broker's answer, `errors` are several in one. */
interface Said {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly apiId?: unknown;
  readonly serverErrorMessage?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** An error of the library in the words and classes of the sink. The library's own say neither why nor what a broker answered. */
export function produceErrorOf(error: unknown): ProduceError {
  if (error instanceof ProduceError) return error;
  const all = [...within(error)];
  return new ProduceError(wordsOf(error, all), classOf(all), { cause: error });
}

/** Whether the connection can still be used: a broker has answered on it. */
export const wasAnswered = (error: unknown): boolean =>
  [...within(error)].some(({ apiId }) => apiId !== undefined);

/** What a broker has answered although it reports errors: topics of which only some partitions have a leader. */
export function answerIn<Answer>(error: unknown): Answer | undefined {
  return typeof error === "object" && error !== null && "response" in error
    ? (error.response as Answer)
    : undefined;
}

/** Code of what the library says about credentials, and the brokers' name for it. */
const AUTHENTICATION = "PLT_KFK_AUTHENTICATION";
const REFUSED = "SASL_AUTHENTICATION_FAILED";

/** What a broker says of it, or else the system. */
function wordsOf(error: unknown, all: readonly Said[]): string {
  const answers = all.filter(({ apiId }) => apiId !== undefined);
  // The error of one record has the reason and a name that says nothing; that of its request has the name.
  const told = answers.find(({ serverErrorMessage }) => Boolean(serverErrorMessage)) ?? answers.at(-1);
  const said = sentence(told?.serverErrorMessage ?? messageOf(told ?? all.at(-1) ?? error));
  if (all.some(({ code, apiId }) => code === AUTHENTICATION || apiId === REFUSED))
    return said.startsWith("SASL authentication failed") ? said : `SASL authentication failed: ${said}`;
  const outer = sentence(messageOf(error));
  return told === undefined && outer !== said ? `${outer}: ${said}` : said;
}

const sentence = (text: unknown) => String(text).replace(/\.$/, "");

function classOf(all: readonly Said[]): ProduceFailure {
  for (const { apiId } of all) {
    const failure = failureOfAnswer(apiId);
    if (failure !== undefined) return failure;
  }
  // A broker that falls silent in the middle of the login says nothing about the password.
  return all.at(-1)?.code === AUTHENTICATION ? "settings" : "retry";
}

/** The error, its causes and those that it is made of, each once, outer ones first. */
function* within(error: unknown, seen = new Set<unknown>()): Generator<Said> {
  if (typeof error !== "object" || error === null || seen.has(error)) return;
  seen.add(error);
  const said: Said = error;
  yield said;
  yield* within(said.cause, seen);
  if (Array.isArray(said.errors)) for (const one of said.errors) yield* within(one, seen);
}
