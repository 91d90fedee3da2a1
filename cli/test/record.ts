import "../../plugins/index.js";
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { parseSource } from "../../compiler/1-parse/parse.js";
import { CredentialNames } from "../../compiler/2-validate/credential-names.js";
import { testsOf } from "../../compiler/2-validate/tests.js";
import { reportRedactor } from "../../compiler/report/redact-report.js";
import { hasUserInfo } from "../../runtime/abi/admin-call.js";
import { substituteEnvironment } from "../../runtime/abi/environment.js";
import { messageOf } from "../../runtime/abi/error-message.js";
import type { Observed, RequestSpec, ResponseSpec } from "../../runtime/control/in-process/exchange-spec.js";
import { withoutNetwork } from "../../runtime/control/in-process/no-network.js";
import { registerPackages } from "../../runtime/control/in-process/package-runtimes.js";
import type { SimulatedGateway } from "../../runtime/control/in-process/simulated-gateway.js";
import { shownText } from "../in-process/mismatches.js";
import { simulatedGatewayOf } from "../in-process/whole-of-plan.js";
import { complain } from "../output.js";
import { CredentialScrubber, PLACEHOLDER, resolvedRequest } from "./credential-scrubber.js";
import { fetchUpstreamResponse } from "./fetch-upstream.js";
import { Runner } from "./run.js";
import { type Suite, withVariableFixtures } from "./suite.js";

/** A recorded test, in the form in which it is written. */
interface RecordedTest {
  name: string;
  request: RequestSpec;
  /** Undefined if the upstream is not called. */
  upstream: ResponseSpec | undefined;
  expect: Record<string, unknown>;
  /** Descriptions of omitted parts. */
  notes: string[];
}

/** An item of `tests:`. @param indent blanks before its dash */
function recordedText({ name, request, upstream, expect, notes }: RecordedTest, indent = "  "): string {
  const lines = [
    ...notes.map((note) => `# ${note.replace(/[\r\n]+/g, " ")}`),
    `- name: ${flow(name)}`,
    `  request: ${flow(request)}`,
    ...(upstream === undefined ? [] : [`  upstream: ${flow(upstream)}`]),
    "  expect:",
    ...Object.entries(expect).map(([part, value]) => `    ${part}: ${flow(value)}`),
  ];
  return lines.map((line) => `${indent}${line}\n`).join("");
}

/** Prints a value for YAML, which accepts JSON; names and plain texts need no quotes. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${plain(name)}: ${flow(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

const plain = (name: string) =>
  /^[A-Za-z][A-Za-z_-]*$/.test(name) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(name)
    ? name
    : JSON.stringify(name);

export interface RecordOptions {
  method?: string;
  header?: string[];
  body?: string;
  /** Replaces the first node of the route. */
  upstream?: string;
  /** File of tests to append to. Default: standard output. */
  into?: string;
}

/** Headers of a response that mean more than one moment. */
const TELLING = ["content-type", "location", "cache-control"];

/**
 * `gwc test --record URL`: the compiled modules determine the upstream request, the real upstream sends its
 * response, and the modules determine the client's response.
 * @throws Error with the reason if no test can be made
 */
export async function record(suite: Suite, url: string, options: RecordOptions): Promise<void> {
  if (options.upstream !== undefined && (hasUserInfo(options.upstream) || !URL.canParse(options.upstream)))
    throw new Error("--upstream must be a URL without a user, such as http://127.0.0.1:8080");
  await registerPackages(suite.compiled.packages);
  const { plan, artifact } = suite.compiled.result ?? {};
  const whole = simulatedGatewayOf({ plan, artifact });
  const asked = requestOf(url, options);
  const { headers, query } = whole.credentials;
  const censor = new CredentialScrubber(new CredentialNames(() => [...headers, ...query]));
  const test = await withVariableFixtures(suite, async () => {
    const runner = new Runner(suite, whole, undefined);
    const offline = (request: RequestSpec, upstream?: ResponseSpec) => {
      const online = withoutNetwork();
      return runner.observe({ request, ...(upstream !== undefined && { upstream }) }, []).finally(online);
    };
    try {
      const { request, values } = resolvedRequest(asked);
      const censored = censor.request(asked);
      const first = await offline(request);
      const origin = options.upstream ?? originOf(whole, first.route);
      const called = first.upstreamRequest;
      const real = called && origin !== undefined ? await realFrom(origin, called, censor) : undefined;
      const hide = reportRedactor([
        ...suite.hidden,
        ...values,
        ...censor.values.filter((value) => value !== PLACEHOLDER),
      ]);
      const [written, answer] = [hide(censored), hide(real)];
      const seen = await offline(resolvedRequest(written).request, answer);
      return testOf(written, answer, seen, { hide, taken: censor.taken, first });
    } finally {
      await runner.close();
    }
  });
  if (options.into === undefined) process.stdout.write(`tests:\n${recordedText(test)}`);
  else append(options.into, test, suite);
}

async function realFrom(
  origin: string,
  request: NonNullable<Observed["upstreamRequest"]>,
  censor: CredentialScrubber,
): Promise<ResponseSpec> {
  try {
    return await fetchUpstreamResponse(origin, request, censor);
  } catch (error) {
    throw new Error(`cannot record a response of upstream ${origin}: ${messageOf(error)}`);
  }
}

function requestOf(url: string, { method, header = [], body }: RecordOptions): RequestSpec {
  const [, scheme, host, target] = /^(https?):\/\/([^/?#@]+)([^#]*)$/i.exec(url) ?? [];
  // The message does not repeat the URL, which may hold a password.
  if (host === undefined || hasUserInfo(url))
    throw new Error("--record must be a URL without a user, such as http://shop.example.com/orders/7");
  return {
    ...(method !== undefined && { method: method.toUpperCase() }),
    target: target?.startsWith("/") ? target : `/${target ?? ""}`,
    host,
    ...(header.length > 0 && { headers: header }),
    ...(body !== undefined && { body }),
    ...(scheme?.toLowerCase() === "https" && { tls: true as const }),
  };
}

/** The first node that takes requests. */
function originOf(whole: SimulatedGateway, route: string | undefined): string | undefined {
  const table = whole.upstreamOf(route);
  const node = table?.nodes.find(({ weight }) => weight > 0);
  if (table === undefined || node === undefined) return undefined;
  const host = substituteEnvironment(node.host, process.env, () => {});
  return `${table.scheme}://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${node.port}`;
}

interface Around {
  hide<T>(value: T): T;
  taken: readonly string[];
  /** The exchange with credentials, before any upstream response. */
  first: Observed;
}

function testOf(
  request: RequestSpec,
  upstream: ResponseSpec | undefined,
  seen: Observed,
  { hide, taken, first }: Around,
): RecordedTest {
  const { response, upstreamRequest, route } = seen;
  const open = (value: string | { hex: string }) => JSON.stringify(hide(value)) === JSON.stringify(value);
  const headers = response.headers.filter(
    ([name, value]) => TELLING.includes(name.toLowerCase()) && open(shownText(value)),
  );
  const body = shownText(response.body);
  const target = upstreamRequest && shownText(upstreamRequest.target);
  const notes = taken.map((what) => `${what}: "${PLACEHOLDER}" replaces a credential`);
  if ((first.upstreamRequest === undefined) !== (upstreamRequest === undefined))
    notes.push("with the credential the request is accepted: write ${{NAME}} in its place to test that");
  return {
    name: `${request.method ?? "GET"} ${(request.target ?? "/").replace(/\?.*/s, "")} on ${request.host} returns ${response.status}`,
    request,
    upstream: upstreamRequest === undefined ? undefined : upstream,
    expect: {
      route: route ?? false,
      upstream_request:
        upstreamRequest === undefined
          ? false
          : { method: upstreamRequest.method, ...(typeof target === "string" && open(target) && { target }) },
      response: {
        status: response.status,
        ...(headers.length > 0 && {
          headers: Object.fromEntries(headers.map(([name, value]) => [name, shownText(value)])),
        }),
        ...(typeof body === "string" && body !== "" && !body.includes("${{") && open(body) && { body }),
      },
    },
    notes,
  };
}

/** Appends atomically. @throws Error if the result would not be a file of tests */
function append(file: string, test: RecordedTest, { standIns }: Suite): void {
  const before = existsSync(file) ? readFileSync(file, "utf8") : "tests:\n";
  const read = (text: string) =>
    testsOf({ name: file, text, format: "yaml" }, { ...process.env, ...standIns });
  const source = { name: file, text: before, format: "yaml" } as const;
  const list = (parseSource(source).document?.value as { tests?: unknown } | null | undefined)?.tests;
  const known = (Array.isArray(list) ? list : []).map((one) => (one as { name?: unknown } | null)?.name);
  let name = test.name;
  for (let again = 2; known.includes(name); again++) name = `${test.name} (${again})`;
  const indent = /^([ ]*)- /m.exec(before.slice(before.search(/^tests:/m)))?.[1] ?? "  ";
  const after = `${before.replace(/\n*$/, "\n")}${recordedText({ ...test, name }, indent)}`;
  const { tests, diagnostics } = read(after);
  if (diagnostics.length > 0 || tests.length !== known.length + 1)
    throw new Error(
      `cannot append a test to ${file}: name a file that ends with its \`tests:\`, or a new file`,
    );
  const unfinished = `${file}.${process.pid}.new`;
  writeFileSync(unfinished, after, existsSync(file) ? { mode: statSync(file).mode } : {});
  renameSync(unfinished, file);
  complain(`wrote "${name}" to ${file}`);
}
