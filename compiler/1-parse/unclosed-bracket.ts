import type { CST } from "yaml";

/** The first query walks the documents of a YAML text, once for all queries. */
export class Unclosed {
  readonly text: string;
  readonly #documents: readonly CST.Document[];
  #offsets: { quote: readonly number[]; bracket: readonly number[] } | undefined;

  /** @param documents of the text, as far as it was parsed */
  constructor(text: string, documents: readonly CST.Document[]) {
    this.text = text;
    this.#documents = documents;
  }

  /** Offset of the last one that was opened before a fault and never closed. */
  before(offset: number, what: "quote" | "bracket"): number | undefined {
    this.#offsets ??= unclosedIn(this.#documents);
    return this.#offsets[what].findLast((start) => start < offset);
  }
}

function unclosedIn(documents: readonly CST.Document[]): { quote: number[]; bracket: number[] } {
  const found = { quote: [] as number[], bracket: [] as number[] };
  const visit = (token: CST.Token | null | undefined): void => {
    if (!token) return;
    const [quote, bracket] = [openQuote(token), openBracket(token)];
    if (quote !== undefined) found.quote.push(quote);
    if (bracket !== undefined) found.bracket.push(bracket);
    for (const child of parts(token)) visit(child);
  };
  for (const document of documents) visit(document);
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
