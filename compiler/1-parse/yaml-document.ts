import {
  Composer,
  type CST,
  type Document,
  Lexer,
  type ParsedNode,
  Parser,
  stringify,
  type YAMLError,
  YAMLParseError,
} from "yaml";
import { MAX_DEPTH } from "./values.js";

/** Thrown to leave the composer; never leaves this file. */
class TooDeepError extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super();
    this.offset = offset;
  }
}

/** Number of faults after which the text is not read further; 20 lines with faults are reported. */
const MAX_FAULTS = 1_000;
/** Ends a flow collection because of the next line's indentation: a fault in every text. */
const FLOW_ERROR_END = "\x18";

/** Thrown to leave the composer; never leaves this file. */
class TooManyFaultsError extends Error {}

/** First faults, with the parsed documents. The composer has no limit, and each fault takes 0.5 kB. */
class FirstFaults {
  readonly list: YAMLError[] = [];
  readonly documents: CST.Document[] = [];

  /** Limits the lists of a composer, which it replaces after each document. */
  limit({ errors, warnings }: ReturnType<Composer["streamInfo"]>): void {
    for (const faults of [errors, warnings])
      faults.push = (...more: YAMLError[]) => {
        // The composer turns an error thrown in a collection into a fault at each level, and none of these
        // counts.
        if (this.list.length >= MAX_FAULTS) throw new TooManyFaultsError();
        this.list.push(...more);
        return Array.prototype.push.apply(faults, more);
      };
  }

  /** Ends at the last text that was read. */
  told(): { faults: readonly YAMLError[]; documents: readonly CST.Document[] } {
    const { list, documents } = this;
    const [, second] = documents;
    const faults = second ? [secondDocument([second.offset, second.offset + 1]), ...list] : list;
    return { faults, documents };
  }
}

const secondDocument = ([start, end]: readonly [number, number, ...unknown[]]): YAMLError =>
  new YAMLParseError([start, end], "MULTIPLE_DOCS", "a second document");

/** Root of the first document, or its faults, or the offset of the first collection that is nested too deeply. */
export type ComposedYaml =
  | { contents: ParsedNode | null }
  | { faults: readonly YAMLError[]; documents: readonly CST.Document[] }
  | { tooDeepAt: number };

/**
 * Limits the depth while tokens are read, since the library composes by recursion. If V8 compiles a regular
 * expression for the first time on a nearly full stack, the process ends ("RegExpCompiler Allocation
 * failed").
 */
export function composeYaml(text: string): ComposedYaml {
  const { stackTraceLimit } = Error;
  // Each fault is an Error. With a stack trace it takes 2.5 kB, and a megabyte may contain 400,000 of them.
  Error.stackTraceLimit = 0;
  const first = new FirstFaults();
  try {
    // Duplicate keys are found while reading: the parser's own check compares every pair of keys.
    const options = { version: "1.2", schema: "core", prettyErrors: false, uniqueKeys: false } as const;
    const composer = new Composer(options);
    const documents = composer.compose(boundedTokens(text, composer, first), true, text.length);
    const document = documents.next().value as Document.Parsed<ParsedNode>;
    const second = documents.next();
    const faults: YAMLError[] = [...document.errors, ...document.warnings];
    if (!second.done) faults.push(secondDocument(second.value.range));
    return faults.length > 0 ? { faults, documents: first.documents } : { contents: document.contents };
  } catch (fault) {
    if (fault instanceof TooManyFaultsError) return first.told();
    if (!(fault instanceof TooDeepError)) throw fault;
    return { tooDeepAt: fault.offset };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Limits the faults of the composer that consumes the tokens. */
function* boundedTokens(text: string, composer: Composer, first: FirstFaults): Generator<CST.Token, void> {
  first.limit(composer.streamInfo());
  for (const token of tokens(text)) {
    if (token.type === "document") {
      first.documents.push(token);
      first.limit(composer.streamInfo());
    }
    yield token;
  }
}

function* tokens(text: string): Generator<CST.Token, void> {
  const parser = new Parser();
  let unclosed = 0;
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (lexeme === FLOW_ERROR_END && ++unclosed >= MAX_FAULTS) break;
    // The document is below the collections on the stack.
    if (parser.stack.length <= MAX_DEPTH + 1) continue;
    const top = parser.stack.at(-1);
    if (top !== undefined && "items" in top) throw new TooDeepError(top.offset);
  }
  yield* parser.end();
}

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

/** Uses block style, strings quoted only if necessary, no line broken. */
export const writeYaml = (configuration: object): string =>
  stringify(configuration, { lineWidth: 0, aliasDuplicateObjects: false });
