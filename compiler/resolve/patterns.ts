/** What path patterns have in common, by the rules of the router (reference 2.2). */

/** The path before the first wildcard or parameter; the whole of an exact one. */
export function literalPrefix(uri: string): string {
  const wildcard = uri.search(/\*|(?<=\/):(?=[^/*])/);
  return wildcard < 0 ? uri : uri.slice(0, wildcard);
}

/** Whether `a` fits every path that `b` fits; both share a literal prefix, or `b`'s extends `a`'s. */
export function covers(a: string, b: string): boolean {
  if (a === b) return true;
  const literal = literalPrefix(a);
  const pattern = unnamed(a);
  return (pattern === `${literal}*` && b.startsWith(literal)) || pattern === unnamed(b);
}

/** The pattern whatever its parameters are called. */
export function unnamed(uri: string): string {
  return uri.replace(/(?<=\/):[^/*]+/g, ":x").replace(/(?<=\/)\*[A-Za-z_]\w*$/, "*");
}
