import { SourceMap } from "node:module";
import { setTimeout } from "node:timers/promises";
import { foreignNameReason } from "../../compiler/6-check/names.js";
import { nearest } from "../../compiler/diagnostics/nearest.js";
import type { CompileResult } from "../../compiler/index.js";
import { type Diagnostic, isError } from "../../compiler/model/diagnostic.js";
import type { Path } from "../../compiler/model/source.js";
import { bundleMap } from "../../compiler/packages/bundle.js";
import type { Oracle } from "../../compiler/plugin/package.js";
import { messageOf } from "../../runtime/abi/error-message.js";
import { canonicalJson } from "../../runtime/abi/hash.js";
import type { CaseFile, PluginCase } from "./case-file.js";
import { compileWithPackage, lineInYaml, type Place } from "./compile-case.js";
import { differences, differenceText, type Fault } from "./expectation.js";
import { disagreements } from "./oracle-check.js";
import { PluginTestGateway } from "./plugin-test-gateway.js";
import type { Failure, Outcome } from "./report.js";

export interface CaseResults {
  cases: Outcome;
  plans: Outcome;
  oracle: Outcome | undefined;
  results: CaseResult[];
}

export interface CaseResult {
  file: string;
  result: CompileResult;
}

/** Plugin under test. */
interface Subject {
  plugin: string;
  place: Place;
  oracle: Oracle | undefined;
  /** Finds the source of an error in the runtime part: "dist/runtime.js:12". */
  sourceOf: (error: unknown) => Promise<string | undefined>;
}

/** Compiles each case twice, and runs the exchanges. */
export async function runCases(files: readonly CaseFile[], subject: Subject): Promise<CaseResults> {
  const run = new Run(subject);
  for (const file of files) await run.one(file);
  return run.outcomes(files.length);
}

class Run {
  readonly #gateway = new PluginTestGateway();
  readonly #subject: Subject;
  readonly #failures: Failure[] = [];
  readonly #unequal: Failure[] = [];
  readonly #disagreed: Failure[] = [];
  readonly #results: CaseResult[] = [];
  #exchanges = 0;
  #compared = 0;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  outcomes(cases: number): CaseResults {
    const seen = `${cases} cases, ${this.#exchanges} exchanges`;
    const none = cases > 0 ? [] : [{ file: "cases", message: "no cases found: write cases/<name>.yaml" }];
    return {
      cases: { check: "cases", seen, failures: [...none, ...this.#failures] },
      plans: {
        check: "planned twice",
        seen: `${this.#results.length} plans`,
        failures: this.#unequal,
      },
      oracle: this.#subject.oracle && {
        check: "oracle",
        seen: `${this.#compared} of ${this.#exchanges} exchanges compared`,
        failures: this.#disagreed,
      },
      results: this.#results,
    };
  }

  async one(file: CaseFile): Promise<void> {
    const written = file.located.value;
    await this.#gateway.withServices(written.services, async (addresses) => {
      const unknown = unknownService(written.configuration, addresses);
      if (unknown !== undefined) {
        this.#fail(file, unknown.path, unknown.message);
        return;
      }
      const main = { id: "main", nodes: { "127.0.0.1:1980": 1 } };
      const configuration = { upstreams: [main], ...addressed(written.configuration, addresses) };
      const result = compileWithPackage(this.#subject.place, configuration, file.file);
      const errors = result.diagnostics.filter(isError);
      const warnings = result.diagnostics.filter(({ severity }) => severity === "warning");
      const warned = codesOf(warnings).join(", ");
      if (written.warned !== undefined && warned !== [...written.warned].sort().join(", "))
        this.#fail(file, ["warned"], warned === "" ? "there are no warnings" : `the warnings are ${warned}`);
      if (written.refused !== undefined) {
        const text = errors.map(({ code, message }) => `${code}: ${message}`).join("; ");
        const others = warned === "" ? "" : `; the warnings are ${warned}, which "warned" expects`;
        const expected = [...new Set(written.refused)].sort();
        if (codesOf(errors).join() !== expected.join())
          this.#fail(
            file,
            ["refused"],
            text === ""
              ? `the configuration is accepted${others}`
              : `the configuration is rejected with ${text}, and not with ${expected.join(", ")}`,
          );
        return;
      }
      const { plan, artifact } = result;
      if (plan === undefined || artifact === undefined) {
        const spans = file.located.spans.below(["configuration"]);
        this.#failures.push(
          ...errors.map((error) => ({
            file: file.file,
            line: lineInYaml(error, result.text, spans),
            message: `${error.code}: ${error.message}`,
          })),
        );
        return;
      }
      this.#results.push({ file: file.file, result });
      await this.#rerun(file, configuration, canonicalJson(plan));
      // As in a gateway, a module with a foreign name never runs. `checkModules` reports the name.
      if (result.modules.every(({ text }) => foreignNameReason(text.code) === null))
        await this.#exchange(file, written, result);
    });
  }

  /** Detects a plan that depends on the clock, on chance or on an earlier plan, by planning again a little later. */
  async #rerun({ file }: CaseFile, configuration: object, first: string): Promise<void> {
    await setTimeout(2);
    const { plan } = compileWithPackage(this.#subject.place, configuration, file);
    if (plan !== undefined && canonicalJson(plan) === first) return;
    const message = "the same configuration gave a different plan: plan() must depend only on its settings";
    this.#unequal.push({ file, message });
  }

  async #exchange(file: CaseFile, { exchanges = [] }: PluginCase, result: CompileResult): Promise<void> {
    const { artifact, plan, secrets } = result;
    if (artifact === undefined || plan === undefined) return;
    try {
      const seen = await this.#gateway.exchanges(artifact, secrets, exchanges);
      for (const [i, exchange] of exchanges.entries()) {
        const got = seen[i];
        if (got === undefined) continue;
        this.#exchanges++;
        const when = exchange.when === undefined ? "" : `${exchange.when}: `;
        for (const fault of got.faults)
          this.#fail(file, ["exchanges", i], `${when}the gateway reports ${await this.#faultText(fault)}`);
        // The results of a module that threw are not compared.
        if (got.faults.length > 0) continue;
        for (const one of differences(exchange, got))
          this.#fail(file, ["exchanges", i, "expect", ...one.path], when + differenceText(one));
        const { oracle, plugin } = this.#subject;
        const other = oracle && (await disagreements(oracle, plugin, plan, exchange, got));
        if (other === undefined) continue;
        this.#compared++;
        const line = file.located.spans.value(["exchanges", i]).start.line;
        this.#disagreed.push(...other.map((message) => ({ file: file.file, line, message: when + message })));
      }
    } catch (error) {
      this.#fail(file, ["exchanges"], messageOf(error));
    }
  }

  async #faultText({ event, reason }: Fault): Promise<string> {
    const line = await this.#subject.sourceOf(reason);
    return `${event}: ${messageOf(reason)}${line === undefined ? "" : ` (${line})`}`;
  }

  #fail({ file, located }: CaseFile, path: Path, message: string): void {
    this.#failures.push({ file, line: located.spans.value(path).start.line, message });
  }
}

const codesOf = (found: readonly Diagnostic[]) => [...new Set(found.map(({ code }) => code))].sort();

const PLACEHOLDER = /@([a-z][a-z0-9-]*)@/g;

/** Reports a name between "@" that no service of the case has. It would stay as it is and fail elsewhere. */
function unknownService(
  value: unknown,
  addresses: ReadonlyMap<string, string>,
  path: Path = ["configuration"],
): { path: Path; message: string } | undefined {
  if (typeof value === "object" && value !== null) {
    const isList = Array.isArray(value);
    for (const [key, part] of Object.entries(value)) {
      const found = unknownService(part, addresses, [...path, isList ? Number(key) : key]);
      if (found !== undefined) return found;
    }
  }
  if (typeof value !== "string") return undefined;
  const names = Array.from(value.matchAll(PLACEHOLDER), ([, name = ""]) => name);
  const unknown = names.find((name) => !addresses.has(name));
  if (unknown === undefined) return undefined;
  const near = nearest(unknown, addresses.keys());
  const help = near === undefined ? '"services" does not contain it' : `did you mean "@${near}@"?`;
  return { path, message: `unknown service "@${unknown}@"; ${help}` };
}

/** Returns the configuration with each "@name@" replaced by the address of the service. */
function addressed(configuration: object, addresses: ReadonlyMap<string, string>): object {
  const text = JSON.stringify(configuration);
  const replaced = text.replace(PLACEHOLDER, (whole, name: string) => addresses.get(name) ?? whole);
  return JSON.parse(replaced) as object;
}

/**
 * Maps errors of the runtime part, which runs as one bundled file, to the innermost frame in the package's own code.
 * @param runtime absolute path of the bundled module; undefined if the package has none
 */
export function runtimeSources(runtime: string | undefined, root: string): Subject["sourceOf"] {
  let loaded: Promise<SourceMap | undefined> | undefined;
  return async (error) => {
    const { stack = "" } = error instanceof Error ? error : {};
    const frames = [...stack.matchAll(/^ +at .*?file:\/\/\S*\/plugins\/[^/\s]+?:(\d+):(\d+)\)?$/gm)];
    if (runtime === undefined || frames.length === 0) return undefined;
    loaded ??= bundleMap(runtime, root).then((text) =>
      text === undefined ? undefined : new SourceMap(JSON.parse(text)),
    );
    const map = await loaded;
    for (const [, line, column] of frames) {
      const found = map?.findEntry(Number(line) - 1, Number(column) - 1);
      if (found === undefined || !("originalSource" in found)) continue;
      if (!found.originalSource.includes("node_modules/"))
        return `${found.originalSource}:${found.originalLine + 1}`;
    }
    return undefined;
  };
}
