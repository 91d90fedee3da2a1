import { reportRedactor } from "../compiler/report/redact-report.js";
import type { Names } from "../compiler/variables/credential-text.js";

const SHOWN = "***";

/**
 * Hides secrets, and values of headers and operands of variables with credential names. Modules and builds
 * hold such values, because the data path needs them.
 */
export const shownPlan = <T>(plan: T, secrets: readonly string[], names: Names): T =>
  reportRedactor(secrets)(withoutCredentials(plan, names) as T);

function withoutCredentials(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutCredentials(item, names));
  if (typeof value !== "object" || value === null) return value;
  const { action, name, variable } = value as Record<string, unknown>;
  const isCredential = (named: unknown) => typeof named === "string" && names.has(named);
  const hidden =
    typeof action === "string" && isCredential(name)
      ? "values"
      : isCredential(variable) && "operand" in value
        ? "operand"
        : undefined;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === hidden ? withoutLiterals(member) : withoutCredentials(member, names),
    ]),
  );
}

/** Members that hold literal values, with the forms of patterns. */
const LITERALS: ReadonlySet<string> = new Set(["literal", "value", "values", "pattern", "source"]);

function withoutLiterals(value: unknown, isLiteral = false): unknown {
  if (typeof value === "string" || typeof value === "number") return isLiteral ? SHOWN : value;
  if (Array.isArray(value)) return value.map((item) => withoutLiterals(item, isLiteral));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withoutLiterals(member, LITERALS.has(key))]),
  );
}
