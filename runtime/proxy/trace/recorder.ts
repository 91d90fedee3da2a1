import { PHASES, type Phase, type PipelineModule } from "../../abi/route-module.js";
import type { Trace, TracePhase } from "../../abi/trace.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import type { LiveGeneration, LiveRoute } from "../host/contract.js";
import { PLUGIN, pluginOf, registerAlias, runningPart } from "../host/module-stack.js";
import { changesBetween, fieldsOf, type Snapshot, snapshotOf } from "./snapshot.js";

/** Content of a trace at the end of the request; byte strings, not yet redacted. */
export type Recorded = Pick<Trace, "phases" | "upstream_response">;

/** Stack frames in which the module is searched: plugins call some functions of their own. */
const FRAMES = 20;
/** Maximum stack captures for one request; each takes 10 µs. */
const MAX_LOOKS = 2_000;

type Run = (x: GatewayExchange) => void | Promise<void>;

interface Running {
  readonly span: TracePhase;
  readonly module: PipelineModule;
  before: Snapshot;
  step: TracePhase["steps"][number] | undefined;
  /** Microseconds before the first step was known. */
  early: number;
  resumed: number;
}

/**
 * Records one request: replaces its route's module and its global rules by equivalent ones that record. The
 * acting plugin is found by the line of the module that accesses the exchange, as for an error of a module.
 */
export class Recorder {
  readonly ids: readonly string[];
  /** Generation that the exchange gets back at its end. */
  readonly generation: LiveGeneration;
  readonly #x: GatewayExchange;
  readonly #seen: GatewayExchange;
  readonly #beganAt = performance.now();
  readonly #phases: TracePhase[] = [];
  readonly #parts = new Map<string, string | undefined>();
  #received: Trace["upstream_response"] = null;
  #running: Running | undefined;
  #polls = 0;

  constructor(x: GatewayExchange, ids: readonly string[]) {
    this.ids = ids;
    this.#x = x;
    this.generation = x.generation;
    this.#seen = seenExchange(x, () => this.#poll());
    if (x.route !== undefined) x.route = this.#routeOf(x.route);
    if (x.generation.globalRules.length > 0) x.generation = this.#generationOf(x.generation);
  }

  recorded(): Recorded {
    return { phases: this.#phases, upstream_response: this.#received };
  }

  #routeOf({ row, number, module, upstream }: LiveRoute): LiveRoute {
    const original = module ?? { id: row.id };
    return { row, number, module: this.#moduleOf(original, `routes/${row.id}`), upstream };
  }

  #generationOf(generation: LiveGeneration): LiveGeneration {
    const { number, pluginMetadata, credentials } = generation;
    return {
      ...{ number, pluginMetadata, match: (subject) => generation.match(subject) },
      ...(credentials !== undefined && { credentials }),
      globalRules: generation.globalRules.map(({ row, module }) => ({
        row,
        module: this.#moduleOf(module, `global_rules/${row.id}`),
      })),
    };
  }

  #moduleOf(module: PipelineModule, owner: string): PipelineModule {
    const phases = PHASES.flatMap((phase): [Phase, Run][] => {
      const run = phase === "match" ? undefined : (module[phase] as Run | undefined);
      if (run === undefined) return phase === "headerFilter" ? [[phase, () => this.#receive()]] : [];
      return [[phase, () => this.#run({ phase, owner, module, run })]];
    });
    const recorded: PipelineModule = { ...module, ...Object.fromEntries(phases) };
    registerAlias(recorded, module);
    return recorded;
  }

  /** Records the upstream's response before a plugin changes it. */
  #receive(): void {
    const { response } = this.#x;
    if (this.#received !== null || response.isLocalReply) return;
    // The gateway has added some headers already, such as Server.
    const headers = fieldsOf(response.headers).filter(([name]) => response.received(name) !== undefined);
    this.#received = { status: response.status, headers };
  }

  #run({ phase, owner, module, run }: { phase: Phase; owner: string; module: PipelineModule; run: Run }) {
    if (phase === "headerFilter") this.#receive();
    const begin = performance.now();
    const span: TracePhase = { phase, owner, at_us: microseconds(begin - this.#beganAt), us: 0, steps: [] };
    this.#phases.push(span);
    const running: Running = {
      ...{ span, module, before: snapshotOf(this.#x), step: undefined, early: 0 },
      resumed: performance.now(),
    };
    this.#running = running;
    let pending: void | Promise<void>;
    try {
      pending = run.call(module, this.#seen);
    } catch (error) {
      this.#leave(running);
      throw error;
    }
    if (pending === undefined) return this.#leave(running);
    return pending.finally(() => this.#leave(running));
  }

  #leave(running: Running): void {
    this.#spend(running);
    this.#endStep(running);
    const { span } = running;
    span.us = span.steps.reduce((sum, { us }) => sum + us, running.early);
    if (this.#running === running) this.#running = undefined;
  }

  /** Called at each access to the exchange: the running code belongs to a plugin. */
  #poll(): void {
    const running = this.#running;
    if (running === undefined || this.#polls++ > MAX_LOOKS) return;
    this.#spend(running);
    const address = this.#part(running.module);
    if (address !== undefined && address !== running.step?.address) {
      this.#endStep(running);
      const us = running.early;
      running.early = 0;
      running.step = {
        plugin: pluginOf(address) ?? null,
        address,
        place: address,
        us,
        condition: null,
        changes: [],
      };
      running.span.steps.push(running.step);
    }
    running.resumed = performance.now();
  }

  #spend(running: Running): void {
    const us = microseconds(performance.now() - running.resumed);
    if (running.step === undefined) running.early += us;
    else running.step.us += us;
  }

  #endStep(running: Running): void {
    if (running.step === undefined) return;
    const after = snapshotOf(this.#x);
    running.step.changes = changesBetween(running.before, after);
    running.before = after;
    running.step = undefined;
  }

  #part(module: PipelineModule): string | undefined {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = FRAMES;
    const { stack = "" } = new Error();
    Error.stackTraceLimit = stackTraceLimit;
    if (!this.#parts.has(stack)) {
      const found = runningPart(module, stack);
      this.#parts.set(stack, found === undefined ? undefined : (PLUGIN.exec(found)?.[0] ?? found));
    }
    return this.#parts.get(stack);
  }
}

const microseconds = (ms: number) => Math.round(ms * 1_000);

/** Calls `look` before each read, call or write of an exchange, which keeps V8's hidden classes. */
function seenExchange(x: GatewayExchange, look: () => void): GatewayExchange {
  const bound = new Map<PropertyKey, unknown>();
  return new Proxy(x, {
    get(target, name) {
      look();
      const known = bound.get(name);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      // Bound to the object, since a proxy does not have its private members.
      const method: unknown = value.bind(target);
      bound.set(name, method);
      return method;
    },
    set(target, name, value) {
      look();
      return Reflect.set(target, name, value, target);
    },
  });
}
