/** `${{VAR}}` or `${{VAR:=default}}`; names as in POSIX. */
const REFERENCE = /\$\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?::=([^}]*))?\}\}/g;

export function environmentReferences(text: string): { name: string; fallback: string | undefined }[] {
  return Array.from(text.matchAll(REFERENCE), (m) => ({ name: m[1] as string, fallback: m[2] }));
}

/** Returns undefined for properties of every object, such as `__proto__`. */
export const variableOf = (
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined => (Object.hasOwn(environment, name) ? environment[name] : undefined);

/** A name without value and default goes to `missing`, and its reference stays. The result is always text. */
export function substituteEnvironment(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  missing: (name: string) => void,
): string {
  return text.replace(REFERENCE, (reference, name: string, fallback: string | undefined) => {
    const value = variableOf(environment, name) ?? fallback;
    if (value !== undefined) return value;
    missing(name);
    return reference;
  });
}

/** Replaces all references. @returns undefined if one is neither set nor has a default */
export function resolvedText(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  let known = true;
  const resolved = substituteEnvironment(text, environment, () => {
    known = false;
  });
  return known ? resolved : undefined;
}

export interface NeededVariable {
  name: string;
  /** Secret that needs it: `"plugins.key-auth.key" of consumer "jack"`. */
  place: string;
}
