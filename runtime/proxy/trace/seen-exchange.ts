import type { GatewayExchange } from "../exchange/exchange.js";

/**
 * Wraps an exchange for traced code: `look` is called before each read, call or write. The object itself is
 * unchanged, and so are V8's hidden classes of it.
 */
export function seenExchange(x: GatewayExchange, look: () => void): GatewayExchange {
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
