import {
  Composer,
  type CST,
  type Document,
  Lexer,
  type ParsedNode,
  Parser,
  type YAMLError,
  YAMLParseError,
} from "yaml";
import { MAX_DEPTH } from "./values.js";

/** Thrown to leave the composer; never leaves this file. */
class TooDeep extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super();
    this.offset = offset;
  }
}

/** Syntax faults after which a text is not read further; 20 lines with faults are told. */
const MAX_FAULTS = 1_000;
/** Lexeme that ends a flow collection for the indentation of the next line. It is a fault in every text. */
const FLOW_ERROR_END = "\x18";

/** Thrown to leave the composer behind the last fault that counts; never leaves this file. */
class TooManyFaults extends Error {}

/** The first faults of a text, with its documents as parsed. The composer has no limit, and each fault takes 0.5 kB. */
class FirstFaults {
  readonly list: YAMLError[] = [];
  readonly documents: CST.Document[] = [];

  /** Limits the lists of a composer, which it replaces after each document. */
  limit({ errors, warnings }: ReturnType<Composer["streamInfo"]>): void {
    for (const faults of [errors, warnings])
      faults.push = (...more: YAMLError[]) => {
        // The composer makes a fault of what is thrown in a collection, at each level: none of these counts.
        if (this.list.length >= MAX_FAULTS) throw new TooManyFaults();
        this.list.push(...more);
        return Array.prototype.push.apply(faults, more);
      };
  }

  /** The text as far as it was read. */
  told(): { faults: readonly YAMLError[]; documents: readonly CST.Document[] } {
    const { list, documents } = this;
    const [, second] = documents;
    const faults = second ? [secondDocument([second.offset, second.offset + 1]), ...list] : list;
    return { faults, documents };
  }
}

const secondDocument = ([start, end]: readonly [number, number, ...unknown[]]): YAMLError =>
  new YAMLParseError([start, end], "MULTIPLE_DOCS", "a second document");

/** The root of a text's first document, or what is wrong with it, or the offset of the first collection that nests too deep. */
export type ComposedYaml =
  | { contents: ParsedNode | null }
  | { faults: readonly YAMLError[]; documents: readonly CST.Document[] }
  | { tooDeepAt: number };

/**
 * Composes the nodes of a text. The depth is bounded while tokens are read: the library composes by recursion, and a regular
 * expression that V8 compiles for the first time where the stack is nearly full ends the process ("RegExpCompiler Allocation failed").
 */
export function composeYaml(text: string): ComposedYaml {
  const { stackTraceLimit } = Error;
  // Each fault is an Error: with a stack trace it takes 2.5 kB, and a megabyte may hold 400,000 of them.
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
    if (fault instanceof TooManyFaults) return first.told();
    if (!(fault instanceof TooDeep)) throw fault;
    return { tooDeepAt: fault.offset };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Tokens of a text, which limit the faults of the composer that takes them. */
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
    // Below the collections lies the document.
    if (parser.stack.length <= MAX_DEPTH + 1) continue;
    const top = parser.stack.at(-1);
    if (top !== undefined && "items" in top) throw new TooDeep(top.offset);
  }
  yield* parser.end();
}
