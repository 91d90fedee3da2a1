import type { ControlCompiler } from "../compiler.js";
import type { Trial } from "../which-route/trial.js";
import type { TrialRunner } from "../which-route/trial-runner.js";
import { type Answer, failure, json, refusal } from "./answer.js";

/** What is asked of control for `which_route`. */
export interface WhichRouteParts {
  runner: Pick<TrialRunner, "run" | "places">;
  /** The running generation and the settings that decide before a route is looked for; undefined before the first generation. */
  running: () => Omit<Trial, "asked" | "credentials"> | undefined;
}

/** Bytes of a body: 64 kB for the request, and what the upstream answers. A viewer may ask, and the compiler reads it. */
export const LARGEST_QUESTION = 262_144;
/** Asked again where a write has changed the generation between trial and answer. */
const TURNS = 3;

/**
 * `POST /gw/admin/which_route`: what the running configuration makes of a request that nobody sends. Changes nothing, so a
 * viewer may ask.
 */
export async function whichRoute(
  parts: WhichRouteParts,
  compiler: ControlCompiler,
  bodyText: string,
): Promise<Answer> {
  if (bodyText.trim() === "") return failure(400, "invalid request body: empty request body");
  const { places } = parts.runner;
  // Before the question is read: the compiler reads it, and has writes to compile.
  return (await places.run(() => tried(parts, compiler, bodyText))) ?? failure(503, places.taken);
}

async function tried(
  { runner, running }: WhichRouteParts,
  compiler: ControlCompiler,
  bodyText: string,
): Promise<Answer> {
  const read = await compiler.readRequest(bodyText);
  if ("errorMessage" in read) return refusal(400, read.errorMessage, read.diagnostics);
  const { asked, credentials } = read;
  for (let turn = 1; ; turn += 1) {
    const now = running();
    if (now === undefined) return failure(503, "no generation yet");
    const outcome = await runner.run({ ...now, asked, credentials });
    const isCurrent = running()?.generation === now.generation;
    if (!isCurrent && turn < TURNS) continue;
    if ("fault" in outcome) return failure(503, `the request cannot be tried: ${outcome.fault}`);
    return json(200, await compiler.told(outcome.tried));
  }
}
