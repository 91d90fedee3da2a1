import type { Span } from "../../compiler/model/diagnostic.js";
import type { Spanned } from "../../compiler/model/source.js";
import { resolvedText } from "../../runtime/abi/environment.js";
import { messageOf } from "../../runtime/abi/error-message.js";
import type { ModuleCode } from "../../runtime/abi/generation.js";
import type { ExchangeSpec, Expected, Observed } from "../../runtime/control/in-process/exchange-spec.js";
import { notingRefusals } from "../../runtime/control/in-process/no-network.js";
import {
  FAULTS,
  type RequestEnvironment,
  requestEnvironment,
  runExchange,
  withTimeout,
} from "../../runtime/control/in-process/run-exchange.js";
import type { SimulatedGateway } from "../../runtime/control/in-process/simulated-gateway.js";
import { FilterThread } from "../../runtime/proxy/host/filter-thread.js";
import type { Mismatch } from "../in-process/log-differences.js";
import { mismatches } from "../in-process/mismatches.js";
import { type Suite, type TestSpec, withVariableFixtures } from "./suite.js";

export interface TestResult {
  name: string;
  span: Span;
  differences: (Mismatch & { span: Span })[];
  /** Errors in the gateway itself: a module that threw, or the reason for a missing response. */
  faults: string[];
  /** Addresses to which plugins tried to connect: tests run without a network. */
  refused: string[];
  ms: number;
  route: string | undefined;
  /** Reason why the expected route did not take it. */
  verdict?: string | undefined;
}

export const isPassing = ({ differences: found, faults }: TestResult): boolean =>
  found.length === 0 && faults.length === 0;

/** A wait, such as for the decoding of a body for a record, delays no other test. */
const MAX_CONCURRENT = 8;
/** Timeout of a test in ms. Without waits it takes a millisecond, and some seconds with the largest bodies. */
const LONGEST_MS = 10_000;

/** @param changed replaces the module with its id */
export function runSuite(
  suite: Suite,
  tests: readonly Spanned<TestSpec>[],
  whole: SimulatedGateway,
  changed?: ModuleCode,
): Promise<TestResult[]> {
  return withVariableFixtures(suite, async () => {
    const runner = new Runner(suite, whole, changed);
    const ran: TestResult[] = [];
    try {
      for (let at = 0; at < tests.length; at += MAX_CONCURRENT)
        ran.push(
          ...(await Promise.all(tests.slice(at, at + MAX_CONCURRENT).map((test) => runner.one(test)))),
        );
    } finally {
      await runner.close();
    }
    return ran;
  });
}

export class Runner {
  readonly #whole: SimulatedGateway;
  readonly #suite: Suite;
  readonly #filterThread = new FilterThread();
  readonly #around: RequestEnvironment;
  readonly #changed: ModuleCode | undefined;

  constructor(suite: Suite, whole: SimulatedGateway, changed: ModuleCode | undefined) {
    this.#changed = changed;
    const { result } = suite.compiled;
    if (result === undefined) throw new Error("there is nothing to test");
    this.#suite = suite;
    this.#whole = whole;
    this.#around = requestEnvironment(result.deployment, process.env);
  }

  close(): Promise<void> {
    return this.#filterThread.close();
  }

  /**
   * Uses a generation of its own, so that effects on a load balancer or a record do not reach others.
   * @param faults receives errors in the gateway itself
   */
  async observe(exchange: Pick<ExchangeSpec, "request" | "upstream">, faults: string[]): Promise<Observed> {
    const { compiled } = this.#suite;
    const environment = process.env;
    const secret = (reference: string) =>
      compiled.result?.secrets.get(reference) ?? resolvedText(reference, environment);
    const capture = { environment, secret, report: () => {} };
    const route = this.#whole.match(exchange.request, this.#around);
    const { generation, records } = this.#whole.serving(route, capture, this.#changed);
    const { ends, securePort, ...served } = this.#around;
    const secured = exchange.request?.tls === undefined ? ends : { ...ends, serverPort: securePort };
    const work = runExchange(generation, exchange, secured, {
      ...served,
      filterThread: this.#filterThread,
      report: (event, _, reason) => {
        if (FAULTS.has(event)) faults.push(`${event}: ${messageOf(reason)}`);
      },
    });
    const seen = await withTimeout(work, LONGEST_MS);
    seen.logs = await records();
    return seen;
  }

  async one({ value: test, spans }: Spanned<TestSpec>): Promise<TestResult> {
    const faults: string[] = [];
    const began = performance.now();
    const route = this.#whole.match(test.request, this.#around);
    const refused = new Set<string>();
    const ran = { name: test.name, span: spans.value(["name"]), faults, route };
    const expected: Expected = withTextRoute(test.expect);
    try {
      const seen = await notingRefusals(refused, () => this.observe(test, faults));
      const found = mismatches(expected, seen).map((one) => ({
        ...one,
        span: spans.value(["expect", ...one.path]),
      }));
      const verdict = found.some(({ path }) => path[0] === "route") && expected.route;
      const why = verdict ? this.#whole.verdict(verdict, test.request, this.#around) : undefined;
      return {
        ...ran,
        refused: [...refused],
        verdict: why,
        differences: found,
        ms: performance.now() - began,
      };
    } catch (error) {
      faults.push(messageOf(error));
      return { ...ran, refused: [...refused], differences: [], ms: performance.now() - began };
    }
  }
}

/** Converts the expected route to a string, as ids are after a compile. */
function withTextRoute({ route, ...rest }: Expected): Expected {
  if (route === undefined) return rest;
  return { ...rest, route: route === false ? false : String(route) };
}
