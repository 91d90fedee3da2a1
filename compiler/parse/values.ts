/** Deepest nesting of lists and objects; expressions and labels need less than ten. */
export const MAX_DEPTH = 64;

/** Sets a field as a plain own property, `__proto__` included. */
export function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/** What stands at a path; undefined where there is nothing. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (part, step) => (part as Record<string | number, unknown> | null | undefined)?.[step],
    value,
  );
}

/** Code of the finding for a scalar that cannot be kept exactly; `raw` is its spelling. */
export function scalarFault(value: unknown, raw: string): "GW1010" | "GW1017" | undefined {
  if (typeof value === "number") return exact(value, raw) ? undefined : "GW1010";
  // A text holds an unpaired surrogate only by way of an escape.
  if (typeof value === "string" && raw.includes("\\") && /\p{Surrogate}/u.test(value)) return "GW1017";
  return undefined;
}

/** Whole numbers are exact up to 2^53; infinities and NaN have no place in JSON. */
function exact(value: number, raw: string): boolean {
  if (!Number.isFinite(value)) return false;
  return !Number.isInteger(value) || Number.isSafeInteger(value) || !/^[-+]?[0-9_]+$|^0[xo]/.test(raw);
}
