import type { GatewayExchange } from "../exchange/exchange.js";

/**
 * The exchange as code that is traced sees it: the same, but `look` is called before each thing that is read of it, called on it or
 * written to it. The object itself stays as it is, and so does what V8 has learned of its shape.
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
      // Of its class, whose private members a proxy does not have.
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
