/** Maximum nesting of lists and objects; expressions and labels need less than ten. */
export const MAX_DEPTH = 64;

/** Makes also `__proto__` a plain own property. */
export function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (part, step) => (part as Record<string | number, unknown> | null | undefined)?.[step],
    value,
  );
}

/** Code for a scalar that cannot be represented exactly; `raw` is its spelling. */
export function scalarFault(value: unknown, raw: string): "GW1010" | "GW1017" | undefined {
  if (typeof value === "number") return exact(value, raw) ? undefined : "GW1010";
  // A text contains an unpaired surrogate only if it was escaped.
  if (typeof value === "string" && raw.includes("\\") && /\p{Surrogate}/u.test(value)) return "GW1017";
  return undefined;
}

/** Integers up to 2^53 are exact; infinities and NaN do not exist in JSON. */
function exact(value: number, raw: string): boolean {
  if (!Number.isFinite(value)) return false;
  return !Number.isInteger(value) || Number.isSafeInteger(value) || !/^[-+]?[0-9_]+$|^0[xo]/.test(raw);
}
