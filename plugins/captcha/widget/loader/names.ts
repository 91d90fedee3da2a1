/** Names for the field and for callbacks of a page (H16, H17). */

const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_.:[\]-]{0,63}$/;

/** @param isFormProperty forms of this browser have the property: a field would hide it from the page's code */
export const isFieldName = (name: string, isFormProperty: (name: string) => boolean): boolean =>
  FIELD_NAME.test(name) && !isFormProperty(name);

type Callback = (...values: unknown[]) => unknown;

/**
 * An own property of the global object, no path, no evaluation (C19, H17), looked up at its call, since pages
 * define it late. Functions of the browser itself ("eval", "open") are no callbacks; bound ones are.
 */
export function callbackOf(name: string, scope: object): Callback | undefined {
  if (!/^[A-Za-z_$][\w$]*$/.test(name) || !Object.hasOwn(scope, name)) return undefined;
  const value: unknown = Reflect.get(scope, name);
  if (typeof value !== "function" || isNative(value)) return undefined;
  return value as Callback;
}

function isNative(value: { name: string }): boolean {
  const text = Function.prototype.toString.call(value);
  return /\{\s*\[native code\]\s*\}$/.test(text) && !value.name.startsWith("bound ");
}
