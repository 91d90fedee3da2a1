import { canonicalPlan } from "../compiler/4-plan/fingerprint.js";
import { reportRedactor } from "../compiler/report/redact-report.js";
import type { Format } from "../compiler/report/render.js";
import { namesOfResources, secretValues } from "../compiler/secrets/secret-values.js";
import type { Names } from "../compiler/variables/credential-text.js";
import { isObject, mapMembers } from "../runtime/abi/json-object.js";
import { type Compiled, planPaths } from "./input.js";
import { failed, printJson } from "./output.js";

/** `gwc plan`: prints the canonical plan, indented, or one route of it, without secrets. */
export async function plan(
  paths: string[],
  options: { format: Format; config?: string[]; route?: string },
): Promise<number> {
  const compiled = await planPaths(paths, options.config, options.format);
  if (typeof compiled === "number") return compiled;
  const whole = JSON.parse(canonicalPlan(compiled.result.plan)) as { routes: { row: { id: string } }[] };
  const shown =
    options.route === undefined ? whole : whole.routes.find(({ row }) => row.id === options.route);
  if (shown === undefined) return failed(`there is no route "${options.route}"`, 1);
  printJson(shownPlan(shown, compiled));
  return 0;
}

const SHOWN = "***";

/**
 * Hides secrets, and values of headers and operands of variables with credential names. Modules and builds
 * hold such values, because the data path needs them.
 */
export function shownPlan<T>(plan: T, { sources, result }: Pick<Compiled, "sources" | "result">): T {
  const { resources = [], deployment } = result ?? {};
  const texts = sources.map(({ text }) => text);
  const hide = reportRedactor(secretValues(resources, deployment, texts, process.env));
  return hide(withoutCredentials(plan, namesOfResources(resources)) as T);
}

function withoutCredentials(value: unknown, names: Names): unknown {
  const { action, name, variable } = isObject(value) ? value : {};
  const isCredential = (named: unknown) => typeof named === "string" && names.has(named);
  const isHidden = (key: string | number) =>
    (key === "values" && typeof action === "string" && isCredential(name)) ||
    (key === "operand" && isCredential(variable));
  return mapMembers(value, (member, key) =>
    isHidden(key) ? withoutLiterals(member) : withoutCredentials(member, names),
  );
}

/** Members that hold literal values, with the forms of patterns. */
const LITERALS: ReadonlySet<string> = new Set(["literal", "value", "values", "pattern", "source"]);

function withoutLiterals(value: unknown, isLiteral = false): unknown {
  if (typeof value === "string" || typeof value === "number") return isLiteral ? SHOWN : value;
  return mapMembers(value, (member, key) =>
    withoutLiterals(member, typeof key === "number" ? isLiteral : LITERALS.has(key)),
  );
}
