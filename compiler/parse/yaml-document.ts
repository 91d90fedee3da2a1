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

/** The root of a text's first document, or what is wrong with it, or the offset of the first collection that nests too deep. */
export type ComposedYaml =
  | { contents: ParsedNode | null }
  | { faults: readonly YAMLError[] }
  | { tooDeepAt: number };

/**
 * Composes the nodes of a text. The depth is bounded while tokens are read: the library composes by recursion, and a regular
 * expression that V8 compiles for the first time where the stack is nearly full ends the process ("RegExpCompiler Allocation failed").
 */
export function composeYaml(text: string): ComposedYaml {
  const { stackTraceLimit } = Error;
  // Each fault is an Error: with a stack trace it takes 2.5 kB, and a megabyte may hold 400,000 of them.
  Error.stackTraceLimit = 0;
  try {
    // Duplicate keys are found while reading: the parser's own check compares every pair of keys.
    const options = { version: "1.2", schema: "core", prettyErrors: false, uniqueKeys: false } as const;
    const documents = new Composer(options).compose(boundedTokens(text), true, text.length);
    const document = documents.next().value as Document.Parsed<ParsedNode>;
    const second = documents.next();
    const faults: YAMLError[] = [...document.errors, ...document.warnings];
    if (!second.done) {
      const [start, end] = second.value.range;
      faults.push(new YAMLParseError([start, end], "MULTIPLE_DOCS", "a second document"));
    }
    return faults.length > 0 ? { faults } : { contents: document.contents };
  } catch (fault) {
    if (!(fault instanceof TooDeep)) throw fault;
    return { tooDeepAt: fault.offset };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function* boundedTokens(text: string): Generator<CST.Token, void> {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // Below the collections lies the document.
    if (parser.stack.length <= MAX_DEPTH + 1) continue;
    const top = parser.stack.at(-1);
    if (top !== undefined && "items" in top) throw new TooDeep(top.offset);
  }
  yield* parser.end();
}
