/** Mask of a credential in the gateway's answers. */
const MASK = "***";

/**
 * The part of a requested address that the page's own may have, which ends in logs, histories and messages: without user, fragment
 * and values of arguments that the gateway takes for credentials.
 * @param told the target of the same request as the gateway shows it
 */
export function openAddress(asked: string, told: string): string {
  const [whole = ""] = asked.split("#", 1);
  const [path = "", query] = halves(whole);
  const open = path.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*@/i, "$1//");
  if (query === undefined) return open;
  const shown = (halves(told)[1] ?? "").split("&");
  const written = query.split("&");
  const isSame = shown.length === written.length;
  const pairs = written.map((pair, at) => {
    const [name = "", value] = pair.split(/=(.*)/s, 2);
    const isOpen = isSame && shown[at]?.includes(MASK) === false;
    return value === undefined || isOpen ? pair : `${name}=`;
  });
  return `${open}?${pairs.join("&")}`;
}

function halves(target: string): [string, string | undefined] {
  const mark = target.indexOf("?");
  return mark < 0 ? [target, undefined] : [target.slice(0, mark), target.slice(mark + 1)];
}
