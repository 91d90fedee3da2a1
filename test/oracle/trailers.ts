import type { HeaderAction, PlannedPipeline } from "../../compiler/model/plan.js";
import { endToEnd } from "./forwarding.js";
import type { Fields, Interim } from "./message.js";

/** Trailers that never pass: they would change how a message is read, or who sent it. */
const UNSAFE = [
  ..."authorization cache-control connection content-encoding content-length content-range content-type".split(
    " ",
  ),
  ..."cookie expect forwarded host keep-alive max-forwards server set-cookie te trailer".split(" "),
  ..."transfer-encoding upgrade x-credential-identifier".split(" "),
];
const UNSAFE_BEGINNINGS = ["proxy", "x-forwarded-", "x-real-", "x-captcha-", "x-consumer-"];

const folded = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "-");
const isUnsafe = (name: string) =>
  UNSAFE.includes(name) || UNSAFE_BEGINNINGS.some((beginning) => name.startsWith(beginning));

/** Names that header actions remove or set, whatever their conditions say. */
function decided(pipelines: readonly PlannedPipeline[], message: "request" | "response"): string[] {
  const steps = pipelines.flatMap(({ steps }) => steps);
  const ofMessage = steps.filter(({ phase }) => (phase === "headerFilter") === (message === "response"));
  const actions = ofMessage.flatMap(
    ({ data }) => (data as { headers?: HeaderAction[] } | null)?.headers ?? [],
  );
  return actions.filter(({ action }) => action === "remove" || action === "set").map(({ name }) => name);
}

export function passingTrailers(
  trailers: Fields,
  pipelines: readonly PlannedPipeline[],
  message: "request" | "response",
): Fields {
  const spelling = message === "request" ? folded : (name: string) => name.toLowerCase();
  const names = decided(pipelines, message).map(spelling);
  return trailers.filter(([name]) => !isUnsafe(folded(name)) && !names.includes(spelling(name)));
}

/** `gw.limits.interim_responses`: further ones are dropped. */
const MAX_INTERIM = 8;

export function passingInterim(interim: Interim[], pipelines: readonly PlannedPipeline[]): Interim[] {
  const names = decided(pipelines, "response").map((name) => name.toLowerCase());
  return interim.slice(0, MAX_INTERIM).map(({ status, headers }) => ({
    status,
    headers: endToEnd(headers).filter(([name]) => !names.includes(name.toLowerCase())),
  }));
}
