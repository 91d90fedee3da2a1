import "../plugins/runtime.js";
import { pathToFileURL } from "node:url";
import { jsonPathText } from "../compiler/1-parse/json-path.js";
import { matchDecisions, type RunningStep, runningOrder } from "../compiler/4-plan/decisions.js";
import type { CompileResult } from "../compiler/index.js";
import {
  type LoggerPlan,
  moduleId,
  type Plan,
  type PlannedPipeline,
  pipelinesOf,
} from "../compiler/model/plan.js";
import { locationsOf, type SourceLocations } from "../compiler/model/source-locations.js";
import type { JsonPath } from "../runtime/abi/log.js";
import { PathFault, type PathRules, type PathSettings, pathRulesFrom } from "../runtime/abi/path.js";
import { type PluginRuntime, registerRuntime } from "../runtime/abi/plugin-runtime.js";
import type { PipelineModule } from "../runtime/abi/route-module.js";
import { decodeUtf8 } from "../runtime/abi/text/bytes.js";
import { visible } from "../runtime/abi/text/unseen.js";
import { WireFault } from "../runtime/http/fault.js";
import { DEFAULT_LIMITS } from "../runtime/http/limits.js";
import { parseRequestHead } from "../runtime/http/request-head.js";
import type { RedactSettings } from "../runtime/logging/logger-settings.js";
import { beginExchange } from "../runtime/proxy/exchange/target.js";
import { applyAdmission, UNTRUSTED_ADMISSION } from "../runtime/proxy/host/admission.js";
import { CredentialNames } from "../runtime/proxy/host/credential-names.js";
import { loadModule } from "../runtime/proxy/host/load.js";
import { Router } from "../runtime/proxy/router/router.js";
import { simulatedGatewayOf } from "./in-process/whole-of-plan.js";
import { planPaths } from "./input.js";
import { failed, printJson } from "./output.js";

interface RouteOptions {
  header: string[];
  config?: string[];
  client: string;
  format: "text" | "json";
}

type Subject = Exclude<ReturnType<typeof syntheticRequest>, string>;

/** Puts the routes of the compiled configuration into the gateway's router, with the modules that decide `vars`. */
function routerOf({ artifact }: CompileResult): Router<PipelineModule | null, Subject> {
  const modules = new Map(artifact?.modules.map((text) => [text.moduleId, text]));
  const router = new Router<PipelineModule | null, Subject>(
    (module, subject) => module?.match?.(subject) ?? true,
  );
  for (const row of artifact?.routes ?? []) {
    const text = row.hasMatch && row.moduleId !== null ? modules.get(row.moduleId) : undefined;
    router.put(row, text === undefined ? null : loadModule(text));
  }
  return router;
}

/** Text of a path in the plan, whose names are byte strings. */
const pathText = (path: JsonPath) =>
  jsonPathText(path.map((step) => (typeof step === "string" ? decodeUtf8(step) : step)));

/** Adds credential names of all plugins to each logger's own lists. */
function loggerMasks(plan: Plan, pipelines: readonly (PlannedPipeline | null)[], places: SourceLocations) {
  const names = new CredentialNames();
  for (const one of pipelinesOf(plan)) names.set(moduleId(one), one.credentials);
  return pipelines.flatMap((pipeline) =>
    (pipeline?.resources ?? []).flatMap(({ plugin, origin, data }) => {
      const { settings = {}, bodyPatterns = [] } = data as Partial<LoggerPlan>;
      const { redact, bodyMasks } = settings;
      if (redact === undefined) return [];
      const { credentials = true, headers, query } = redact as unknown as RedactSettings;
      const { names: secret } = names;
      const all = (own: readonly string[], more: readonly string[]) => [
        ...new Set([...own, ...(credentials ? more : [])]),
      ];
      return [
        {
          plugin,
          origin: places.text(origin),
          headers: all(headers, secret.headers),
          query: all(query, secret.query),
          body: {
            json_paths: ((bodyMasks as { paths: readonly JsonPath[] } | undefined)?.paths ?? []).map(
              pathText,
            ),
            patterns: bodyPatterns.map(({ pattern }) => pattern),
          },
        },
      ];
    }),
  );
}

/** `gwc route`: exit 0 if a route matches, 1 if none does or the configuration has errors. */
export async function route(
  method: string,
  url: string,
  paths: string[],
  options: RouteOptions,
): Promise<number> {
  const compiled = await planPaths(paths, options.config);
  if (typeof compiled === "number") return compiled;
  const { result } = compiled;
  const { gw } = (result.deployment ?? {}) as { gw?: { path?: PathSettings } };
  const described = { method, url, headers: options.header, client: options.client };
  const subject = syntheticRequest(described, pathRulesFrom(gw?.path));
  if (typeof subject === "string") return failed(subject, 1);
  for (const { plugin, runtime } of compiled.packages)
    if (runtime !== undefined) {
      // Loaded directly from the package: nothing that this command loads outlives it.
      const loaded = (await import(pathToFileURL(runtime).href)) as { runtime: PluginRuntime };
      registerRuntime(plugin, loaded.runtime);
    }
  const ambiguity = simulatedGatewayOf(result).matchRoute(subject);
  if (ambiguity !== undefined)
    return failed(`the gateway rejects the request with 400: the path of the target: ${ambiguity}`, 1);
  const { matched, candidates } = routerOf(result).explain(subject);
  const planned = result.plan.routes.find(({ row }) => row.id === matched);
  const pipelines = [...result.plan.globalRules, planned?.pipeline ?? null];
  const places = locationsOf(result.resources);
  const plugins = runningOrder(pipelines, places).map(({ address: _, ...step }) => step);
  const answer = {
    matched,
    target: subject.target,
    origin: planned === undefined ? null : places.text(planned.origin),
    upstream: planned?.row.upstream ?? null,
    decisions: planned?.pipeline
      ? matchDecisions(planned.pipeline).map(({ field, text }) => `${field}: ${text}`)
      : [],
    plugins,
    masks: loggerMasks(result.plan, pipelines, places),
    candidates,
  };
  if (options.format === "json") printJson(answer);
  else process.stdout.write(visible(asText(answer, requestText(subject))));
  return matched === null ? 1 : 0;
}

interface Answer {
  matched: string | null;
  origin: string | null;
  upstream: string | null;
  decisions: readonly string[];
  plugins: readonly Omit<RunningStep, "address">[];
  masks: ReturnType<typeof loggerMasks>;
  candidates: readonly { id: string; verdict: string }[];
}

/** The request line, and the normalized target if it differs. */
function requestText({ method, host, requestUri, target }: Subject): string {
  const form = target === requestUri ? "" : `\nmatched and sent as ${target}`;
  return `${method} ${host}${requestUri}${form}`;
}

/** Line on masks in bodies; none if only credentials are masked there. */
function bodyLine({ json_paths: paths, patterns }: { json_paths: string[]; patterns: string[] }): string[] {
  const all = [...paths, ...patterns.map((pattern) => `/${pattern}/`)];
  return all.length === 0 ? [] : [`  body          ${all.join(", ")}`];
}

function asText(answer: Answer, request: string): string {
  const { matched, origin, upstream, decisions, plugins, masks, candidates } = answer;
  const outcome =
    matched === null
      ? "no route: 404 Route Not Found"
      : `route "${matched}" (${origin}) to upstream ${upstream ?? "none: 503"}`;
  const width = Math.max(0, ...candidates.map(({ id }) => id.length));
  const routes = candidates.map(({ id, verdict }) => `  ${id.padEnd(width)}  ${verdict}`);
  const steps = plugins.flatMap(({ plugin, phase, origin: place, from, decisions }) => [
    `  ${phase.padEnd(12)}  ${plugin}  (${from}, ${place})`,
    ...decisions.map((decision) => `                  ${decision}`),
  ]);
  return [
    [request, outcome, ...decisions.map((decision) => `  ${decision}`)].join("\n"),
    "",
    "routes, in the order in which they are tried:",
    ...routes,
    "",
    "plugins, in the order in which they run:",
    ...(steps.length > 0 ? steps : ["  none"]),
    ...masks.flatMap(({ plugin, origin: place, headers, query, body }) => [
      "",
      `masked by ${plugin} (${place}):`,
      `  headers       ${headers.join(", ") || "none"}`,
      `  query         ${query.join(", ") || "none"}`,
      ...bodyLine(body),
    ]),
    "",
  ].join("\n");
}

export interface Described {
  method: string;
  /** Path with query, or an http URL whose authority becomes Host. */
  url: string;
  /** "Name: value". */
  headers: readonly string[];
  client: string;
}

const NOTHING = { number: 0, globalRules: [], pluginMetadata: new Map(), match: () => undefined };

/** Uses the gateway's parser; returns a text if the gateway would reject the request before routing. */
export function syntheticRequest({ method, url, headers, client }: Described, rules?: PathRules) {
  const absolute = /^https?:\/\/([^/?]+)(.*)$/i.exec(url);
  const target = absolute ? absolute[2] || "/" : url;
  const named = headers.some((line) => /^host\s*:/i.test(line));
  const host = named ? [] : [`Host: ${absolute?.[1] ?? "localhost"}`];
  const text = `${[`${method} ${target} HTTP/1.1`, ...host, ...headers].join("\r\n")}\r\n\r\n`;
  const head = parseRequestHead(text, 0, text.length, DEFAULT_LIMITS);
  if (head instanceof WireFault) return `the gateway rejects the request with ${head.status}: ${head.reason}`;
  applyAdmission(head, client, UNTRUSTED_ADMISSION);
  const connection = {
    remoteAddr: client,
    remotePort: 0,
    serverAddr: "127.0.0.1",
    serverPort: 9_080,
    startedAt: Date.now(),
  };
  const x = beginExchange({ head, bytesSent: 0, connection }, NOTHING, rules);
  return x instanceof PathFault
    ? `the gateway rejects the request with 400: the path of the target: ${x.reason}`
    : x;
}
