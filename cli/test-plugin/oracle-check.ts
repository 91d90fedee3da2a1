import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plan } from "../../compiler/model/plan.js";
import type { LocatedPackage } from "../../compiler/packages/locate.js";
import { reasonAt } from "../../compiler/packages/package-error.js";
import { ImportSandbox } from "../../compiler/packages/sandbox-import.js";
import type { Field, Oracle, OracleState } from "../../compiler/plugin/package.js";
import { TimeExceededError, TimeLimit } from "../../compiler/plugin/time-limit.js";
import { upstreamOutcome, wholeRequest } from "../../runtime/control/in-process/exchange-bytes.js";
import { fieldValues } from "../../runtime/control/in-process/wire-message.js";
import type { CaseExchange } from "./case-file.js";
import type { Seen } from "./expectation.js";

/** Headers that the gateway or the wire writes. */
const OF_THE_GATEWAY =
  /^(?:connection|content-length|date|keep-alive|server|transfer-encoding|host|x-real-ip|x-forwarded-.*)$/i;

type Located = Pick<LocatedPackage, "entry" | "root">;

class OracleError extends Error {}

/** Undefined without `oracle.js` next to the entry. @throws errors of the module, with their line */
export async function oracleOf({ entry, root }: Located): Promise<Oracle | undefined> {
  const path = join(dirname(entry), "oracle.js");
  if (!existsSync(path)) return undefined;
  const { href } = pathToFileURL(path);
  const trials = new ImportSandbox(true);
  await trials.try(href).finally(() => trials.close());
  const folder = pathToFileURL(`${root}/`).href;
  const { oracle } = await (import(href) as Promise<{ oracle?: Oracle }>).catch((error: unknown) => {
    throw new OracleError(reasonAt(error, folder));
  });
  if (typeof oracle !== "function") throw new TypeError('it does not export a function "oracle"');
  const limit = new TimeLimit();
  return async (step, state) => {
    try {
      await limit.run(() => oracle(step, state));
    } catch (error) {
      throw error instanceof TimeExceededError ? error : new OracleError(reasonAt(error, folder));
    }
  };
}

/**
 * Undefined if the oracle cannot predict the exchange: several routes, other plugins, a step with a condition,
 * or an upstream that fails or sends a coded body.
 */
export async function disagreements(
  oracle: Oracle,
  plugin: string,
  plan: Plan,
  exchange: CaseExchange,
  seen: Seen,
): Promise<string[] | undefined> {
  const [route, ...others] = plan.routes;
  const steps = route?.pipeline?.steps ?? [];
  const alone = others.length === 0 && plan.globalRules.length === 0 && !route?.pipeline?.match;
  if (!alone || steps.some((step) => step.plugin !== plugin || step.filter !== null)) return undefined;
  const outcome = upstreamOutcome(exchange.upstream);
  if ("failure" in outcome || exchange.upstream?.encoding !== undefined) return undefined;
  const state = beginning(exchange);
  const run = async (phases: readonly string[]) => {
    for (const step of steps)
      if (phases.includes(step.phase) && (state.response !== undefined || state.localReply === undefined))
        await oracle(step, state);
  };
  try {
    await run(["rewrite", "access"]);
    const { localReply } = state;
    state.response =
      localReply === undefined
        ? { status: outcome.status, headers: outcome.headers, body: outcome.body }
        : { ...localReply, headers: [...localReply.headers] };
    await run(["headerFilter"]);
  } catch (error) {
    if (error instanceof TimeExceededError) return [`the oracle did not end within ${error.seconds} s`];
    if (error instanceof OracleError) return [`the oracle throws ${error.message}`];
    throw error;
  }
  return [...comparedRequests(state, seen), ...comparedResponses(state, seen)];
}

function beginning({ request }: CaseExchange): OracleState {
  const { method, target, headers, body } = wholeRequest(request);
  return {
    request: { method, target, headers, body },
    upstream: { method, target, headers: [...headers], body },
    localReply: undefined,
    response: undefined,
  };
}

function comparedRequests({ upstream, localReply }: OracleState, { upstreamRequest }: Seen): string[] {
  if (localReply !== undefined)
    return upstreamRequest === undefined
      ? []
      : ["the oracle sends a local reply, but the module called the upstream"];
  if (upstreamRequest === undefined) return ["the oracle calls the upstream, but the module did not"];
  const lines = (["method", "target", "body"] as const).flatMap((part) =>
    compared(`the upstream's ${part}`, upstream[part], upstreamRequest[part]),
  );
  return [...lines, ...comparedFields("the upstream's request", upstream.headers, upstreamRequest.headers)];
}

function comparedResponses({ response }: OracleState, seen: Seen): string[] {
  if (response === undefined) return [];
  return [
    ...compared("the status", String(response.status), String(seen.response.status)),
    ...comparedFields("the response", response.headers, seen.response.headers),
    ...compared("the response's body", response.body, seen.response.body),
  ];
}

function comparedFields(what: string, foreseen: Field[], seen: Field[]): string[] {
  const names = new Set([...foreseen, ...seen].map(([name]) => name.toLowerCase()));
  return [...names]
    .filter((name) => !OF_THE_GATEWAY.test(name))
    .flatMap((name) =>
      compared(
        `${name} of ${what}`,
        JSON.stringify(fieldValues(foreseen, name)),
        JSON.stringify(fieldValues(seen, name)),
      ),
    );
}

const compared = (what: string, foreseen: string, seen: string) =>
  foreseen === seen
    ? []
    : [`the oracle predicts that ${what} is ${foreseen}, but the module makes it ${seen}`];
