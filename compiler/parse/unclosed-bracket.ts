import { type CST, Parser } from "yaml";

/** Where a quote or bracket was opened that a syntax fault before `offset` says is never closed. */
export function unclosedBefore(text: string, offset: number, what: "quote" | "bracket"): number | undefined {
  let found: number | undefined;
  const visit = (token: CST.Token | null | undefined): void => {
    if (!token) return;
    const start = what === "quote" ? openQuote(token) : openBracket(token);
    if (start !== undefined && start < offset) found = Math.max(found ?? 0, start);
    for (const child of parts(token)) visit(child);
  };
  for (const document of new Parser().parse(text)) visit(document);
  return found;
}

function openQuote(token: CST.Token): number | undefined {
  if (token.type !== "single-quoted-scalar" && token.type !== "double-quoted-scalar") return undefined;
  const { source, offset } = token;
  return source.length > 1 && source.endsWith(source.charAt(0)) ? undefined : offset;
}

function openBracket(token: CST.Token): number | undefined {
  if (token.type !== "flow-collection") return undefined;
  return token.end.some(({ type }) => type === "flow-seq-end" || type === "flow-map-end")
    ? undefined
    : token.start.offset;
}

function parts(token: CST.Token): (CST.Token | null | undefined)[] {
  if (token.type === "document") return [token.value];
  if ("items" in token) return token.items.flatMap(({ key, value }) => [key, value]);
  return [];
}
