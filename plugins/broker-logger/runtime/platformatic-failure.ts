import { messageOf } from "../../../runtime/abi/plugin-api.js";
import { failureOfAnswer } from "./answers.js";
import { ProduceError, type ProduceFailure } from "./client.js";

/** `apiId` marks a broker's response, `errors` are several in one. */
interface LibraryError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly apiId?: unknown;
  readonly serverErrorMessage?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** The library's own errors name neither the cause nor the broker's response. */
export function produceErrorOf(error: unknown): ProduceError {
  if (error instanceof ProduceError) return error;
  const all = [...within(error)];
  return new ProduceError(wordsOf(error, all), classOf(all), { cause: error });
}

/** The connection is still usable: a broker has responded on it. */
export const wasAnswered = (error: unknown): boolean =>
  [...within(error)].some(({ apiId }) => apiId !== undefined);

/** A response may also report errors, as for topics of which only some partitions have a leader. */
export function answerIn<Answer>(error: unknown): Answer | undefined {
  return typeof error === "object" && error !== null && "response" in error
    ? (error.response as Answer)
    : undefined;
}

/** Error code of the library for credentials, and the brokers' name for it. */
const AUTHENTICATION = "PLT_KFK_AUTHENTICATION";
const REFUSED = "SASL_AUTHENTICATION_FAILED";

/** Prefers the broker's message to the system's. */
function wordsOf(error: unknown, all: readonly LibraryError[]): string {
  const answers = all.filter(({ apiId }) => apiId !== undefined);
  // The error of one record has the reason and an empty name; the error of its request has the name.
  const told = answers.find(({ serverErrorMessage }) => Boolean(serverErrorMessage)) ?? answers.at(-1);
  const said = sentence(told?.serverErrorMessage ?? messageOf(told ?? all.at(-1) ?? error));
  if (all.some(({ code, apiId }) => code === AUTHENTICATION || apiId === REFUSED))
    return said.startsWith("SASL authentication failed") ? said : `SASL authentication failed: ${said}`;
  const outer = sentence(messageOf(error));
  return told === undefined && outer !== said ? `${outer}: ${said}` : said;
}

const sentence = (text: unknown) => String(text).replace(/\.$/, "");

function classOf(all: readonly LibraryError[]): ProduceFailure {
  for (const { apiId } of all) {
    const failure = failureOfAnswer(apiId);
    if (failure !== undefined) return failure;
  }
  // Silence of a broker in the middle of the login proves nothing about the password.
  return all.at(-1)?.code === AUTHENTICATION ? "settings" : "retry";
}

/** The error, its causes and its parts, each once, outer ones first. */
function* within(error: unknown, seen = new Set<unknown>()): Generator<LibraryError> {
  if (typeof error !== "object" || error === null || seen.has(error)) return;
  seen.add(error);
  const said: LibraryError = error;
  yield said;
  yield* within(said.cause, seen);
  if (Array.isArray(said.errors)) for (const one of said.errors) yield* within(one, seen);
}
