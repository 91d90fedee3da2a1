/** Pattern that matches something else than it seems to say. */

export interface Misreading {
  code: "GW3034" | "GW3035" | "GW3036" | "GW4208";
  params: Record<string, string>;
}

/**
 * A name behind a star, up to the end of its segment or another star. Behind a slash and at the end of the
 * path, it is valid: it names the rest.
 */
const NAMED_STAR = /\*([A-Za-z_]\w*)(?=[/*]|$)/g;
const PARAMETER = /(?<=\/):([^/*]+)/g;
const NAME = /^[\w-]+$/;
/** Name of a segment or of the rest of the path. */
const PART = /(?<=\/)(?::([^/*]+)|\*([A-Za-z_]\w*)$)/g;
/** Parameters of OpenAPI, Flask and Next.js, and parts of regular expressions. */
const FOREIGN = /\{[^/{}]*\}|<[^/<>]+>|\[[^/\]]+\]|\([^/()]*\|[^/()]*\)|\\[dDsSwWb]|\$$/;

export function misreadingOf(uri: string): Misreading | undefined {
  for (const { 0: star, 1: name = "", index } of uri.matchAll(NAMED_STAR)) {
    const end = index + star.length;
    if (uri[index - 1] === "/" && end === uri.length) continue;
    return { code: "GW3034", params: { uri, star, rest: `${name}${uri.slice(end)}` } };
  }
  for (const [parameter, name = ""] of uri.matchAll(PARAMETER))
    if (!NAME.test(name)) return { code: "GW3035", params: { uri, parameter, name } };
  const [text] = FOREIGN.exec(uri) ?? [];
  if (text !== undefined) return { code: "GW3036", params: { uri, text } };
  const name = repeatedName(uri);
  return name === undefined ? undefined : { code: "GW4208", params: { uri, name } };
}

/** Finds a name that two parts share: its variable has one value. */
function repeatedName(uri: string): string | undefined {
  const names = [...uri.matchAll(PART)].map(([, segment, rest]) => segment ?? rest ?? "");
  return names.find((name, index) => names.indexOf(name) < index);
}
