import type { LiveConfiguration } from "../contract.js";
import { makeProgram, type Program } from "../program/make.js";
import { programSeed } from "../program/seed.js";
import { PROGRAM_MS, type ProgramCode, programAnswerOf, programVerdict } from "../program/verdict.js";
import type { ProgramRenewed, ProgramShown } from "../protocol.js";
import { sessionExpired } from "./refusal.js";
import type { SessionCall, SessionRecord, Step } from "./sessions.js";
import type { TickRequest } from "./shapes.js";

/** Maximum: one is made when the frame loads, others when the last is old and a visitor comes near the box. */
const MAX_RUNS = 60;

type Owner = Pick<SessionRecord, "site_key" | "hostname" | "program">;

export function shownProgram(live: LiveConfiguration, id: string, owner: Owner): ProgramShown {
  const { code, times, key } = programOf(live, id, owner);
  return { code: code().toString("base64"), times, key, ttl_ms: PROGRAM_MS };
}

/** POST /api/v1/program, before the tick; the previous one becomes invalid. @throws Refusal */
export async function renewProgram({ parts, id, session }: SessionCall): Promise<Step<ProgramRenewed>> {
  const { run } = session.program;
  if (session.tick !== undefined || run >= MAX_RUNS) throw sessionExpired();
  session.program = { run: run + 1, issued: parts.clock.now() };
  return { answer: { program: shownProgram(parts.configuration(), id, session) } };
}

/** Reason why a tick's program does not prove a browser; undefined if it does. */
export function programFault(
  { parts, id, session }: SessionCall,
  { program, telemetry }: TickRequest,
): ProgramCode | undefined {
  const answer = programAnswerOf(program);
  if (answer === undefined) return "program_missing";
  const ms = parts.clock.now() - session.program.issued;
  return programVerdict(programOf(parts.configuration(), id, session), { answer, telemetry, ms });
}

/** Generates the program from its seed again, so that nothing is stored. */
function programOf({ secrets }: LiveConfiguration, id: string, owner: Owner): Program {
  const { site_key, hostname } = owner;
  return makeProgram(
    programSeed(secrets.program, { session: id, site_key, hostname, run: owner.program.run }),
  );
}
