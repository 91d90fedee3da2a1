// Relations between path patterns, by the rules of the router (reference 2.2).

/** Path before the first wildcard or parameter, or the whole of an exact path. */
export function literalPrefix(uri: string): string {
  const wildcard = uri.search(/\*|(?<=\/):(?=[^/*])/);
  return wildcard < 0 ? uri : uri.slice(0, wildcard);
}

/** Reports whether `a` matches every path of `b`. Both share a literal prefix, or `b`'s extends `a`'s. */
export function covers(a: string, b: string): boolean {
  if (a === b) return true;
  const literal = literalPrefix(a);
  const pattern = unnamed(a);
  return (pattern === `${literal}*` && b.startsWith(literal)) || pattern === unnamed(b);
}

/** One literal prefix begins with the other. */
export function overlaps(a: string, b: string): boolean {
  const [first, second] = [literalPrefix(a), literalPrefix(b)];
  if (first === a && second === b) return a === b;
  if (first === a) return a.startsWith(second);
  if (second === b) return b.startsWith(first);
  return first.startsWith(second) || second.startsWith(first);
}

/** Leaves out the names of parameters, by which requests are not matched. */
export function unnamed(uri: string): string {
  return uri.replace(/(?<=\/):[^/*]+/g, ":x").replace(/(?<=\/)\*[A-Za-z_]\w*$/, "*");
}
