import type { GatewayExchange } from "../exchange/exchange.js";

/** Calls `look` before each read, call or write of an exchange, which keeps V8's hidden classes. */
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
