import type { Tried } from "../../../compiler/which-route/which-route-report.js";
import type { ControlCompiler } from "../compiler.js";
import type { SimulatedRequest } from "../which-route/generation-simulator.js";
import type { RequestSimulator } from "../which-route/request-simulator.js";
import { type ApiResponse, failure, json, refusal } from "./answer.js";

/** Parts of control that `which_route` asks. */
export interface WhichRouteParts {
  runner: Pick<RequestSimulator, "run" | "places">;
  /** The running generation and the settings that decide before a route is looked for; undefined before the first generation. */
  running: () => Omit<SimulatedRequest, "asked" | "live" | "credentials"> | undefined;
}

/** Bytes of a body: 64 kB for the request, and what the upstream answers. A viewer may ask, and the compiler reads it. */
export const LARGEST_QUESTION = 262_144;
/** Asked again where a write has changed the generation between trial and answer. */
const TURNS = 3;

/**
 * `POST /gw/admin/which_route`: what the running configuration makes of a request that nobody sends. Changes nothing, so a
 * viewer may ask.
 * @param live its upstream really is asked
 */
export async function whichRoute(
  parts: WhichRouteParts,
  compiler: ControlCompiler,
  bodyText: string,
  live = false,
): Promise<ApiResponse> {
  if (bodyText.trim() === "") return failure(400, "invalid request body: empty request body");
  const { places } = parts.runner;
  // Before the question is read: the compiler reads it, and has writes to compile.
  return (await places.run(() => tried(parts, compiler, { bodyText, live }))) ?? failure(503, places.taken);
}

async function tried(
  { runner, running }: WhichRouteParts,
  compiler: ControlCompiler,
  { bodyText, live }: { bodyText: string; live: boolean },
): Promise<ApiResponse> {
  const read = await compiler.readRequest(bodyText);
  if ("errorMessage" in read) return refusal(400, read.errorMessage, read.diagnostics);
  if (live && read.hasStub)
    return failure(400, 'invalid request body: "upstream_response" is for a trial that asks no upstream');
  const { asked, credentials } = read;
  /** Its candidates with what they lack; as they are where the generation has changed meanwhile. */
  async function weighed(before: Tried): Promise<Tried> {
    const beside = await compiler.beside(before.candidates);
    const now = running();
    const isNothing = beside.conditions.length + beside.disabled.length === 0 || before.refused !== null;
    if (isNothing || now?.generation !== before.generation) return before;
    const again = await runner.run({
      ...now,
      asked,
      live: false,
      credentials,
      weigh: { tried: before, beside },
    });
    return "fault" in again ? before : again.tried;
  }
  for (let turn = 1; ; turn += 1) {
    const now = running();
    if (now === undefined) return failure(503, "no generation yet");
    const outcome = await runner.run({ ...now, asked, live, credentials });
    const isCurrent = running()?.generation === now.generation;
    // A request that was sent is not sent again.
    if (!live && !isCurrent && turn < TURNS) continue;
    if ("fault" in outcome) return failure(503, `the request cannot be tried: ${outcome.fault}`);
    return json(200, await compiler.told(await weighed(outcome.tried)));
  }
}
