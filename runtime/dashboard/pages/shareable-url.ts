const MASK = "***";

/**
 * The part of a requested URL that may be in the page's URL, which ends up in logs, histories and messages.
 * It omits user, fragment and values of arguments that the gateway treats as credentials.
 * @param told target of the same request in the gateway's response
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
