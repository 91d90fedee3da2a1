import type { RequestResult } from "../../../compiler/which-route/which-route-report.js";
import type { ControlCompiler } from "../compiler.js";
import type { SimulatedRequest } from "../which-route/generation-simulator.js";
import type { RequestSimulator } from "../which-route/request-simulator.js";
import { type ApiResponse, failure, json, refusal } from "./answer.js";

export interface WhichRouteParts {
  runner: Pick<RequestSimulator, "run" | "places">;
  /** Running generation and the settings that apply before routing; undefined before the first generation. */
  running: () => Omit<SimulatedRequest, "asked" | "live" | "credentials"> | undefined;
}

/** Maximum body size: 64 kB of request and the upstream response; the compiler parses both. */
export const LARGEST_QUESTION = 262_144;
/** Maximum number of runs, each repeated because a write changed the generation in the meantime. */
const TURNS = 3;

/** Serves `POST /gw/admin/which_route`; only `live` sends the request. Changes nothing, so a viewer may ask. */
export async function whichRoute(
  parts: WhichRouteParts,
  compiler: ControlCompiler,
  bodyText: string,
  live = false,
): Promise<ApiResponse> {
  if (bodyText.trim() === "") return failure(400, "invalid request body: empty request body");
  const { places } = parts.runner;
  // Limits the number before the compiler parses the body, as it also has writes to compile.
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
    return failure(
      400,
      'invalid request body: "upstream_response" is only for a simulation without an upstream',
    );
  const { asked, credentials } = read;
  /** Adds the failed conditions of candidates, unless the generation has changed meanwhile. */
  async function weighed(before: RequestResult): Promise<RequestResult> {
    const beside = await compiler.examinedCandidates(before.candidates);
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
    if (now === undefined) return failure(503, "no generation is running yet");
    const outcome = await runner.run({ ...now, asked, live, credentials });
    const isCurrent = running()?.generation === now.generation;
    // A live request is not sent twice.
    if (!live && !isCurrent && turn < TURNS) continue;
    if ("fault" in outcome) return failure(503, `the request cannot be simulated: ${outcome.fault}`);
    return json(200, await compiler.whichRouteReport(await weighed(outcome.tried)));
  }
}
