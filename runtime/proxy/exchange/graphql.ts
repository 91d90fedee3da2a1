/** What a GraphQL document asks for, as far as logs name it. */
export interface GraphqlOperation {
  /** "query", "mutation" or "subscription". */
  operation: string;
  name: string | undefined;
  /** Fields of the outermost selection, without aliases. */
  rootFields: string[];
}

/** GraphQL specification (October 2021) section 2.1: strings, comments, punctuators and names; the rest has no meaning here. */
const TOKEN = /"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*|\.\.\.|[_A-Za-z][_0-9A-Za-z]*|[{}()[\]:@$!=|&]/g;
/** Root fields that are named at most. */
const MOST = 100;

/** The operation with this name, or the first one; undefined when the document has none. */
export function graphqlOperation(document: string, operationName?: string): GraphqlOperation | undefined {
  const tokens = (document.match(TOKEN) ?? []).filter((token) => !/^[#"]/.test(token));
  let first: GraphqlOperation | undefined;
  for (let at = 0; at < tokens.length; ) {
    const keyword = tokens[at] ?? "";
    const start = selectionStart(tokens, at);
    if (start < 0) break;
    const end = closing(tokens, start);
    if (keyword !== "fragment") {
      const name = keyword !== "{" && /^[_A-Za-z]/.test(tokens[at + 1] ?? "") ? tokens[at + 1] : undefined;
      const operation = keyword === "{" ? "query" : keyword;
      if (!["query", "mutation", "subscription"].includes(operation)) return undefined;
      const found = { operation, name, rootFields: rootFields(tokens.slice(start + 1, end)) };
      if (operationName === undefined || operationName === name) return found;
      first ??= found;
    }
    at = end + 1;
  }
  return first;
}

/** Where the selection of the definition at `from` opens; braces of default values are in parentheses. */
function selectionStart(tokens: readonly string[], from: number): number {
  let depth = 0;
  for (let i = from; i < tokens.length; i++) {
    if (tokens[i] === "(") depth++;
    else if (tokens[i] === ")") depth--;
    else if (tokens[i] === "{" && depth === 0) return i;
  }
  return -1;
}

function closing(tokens: readonly string[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    if (tokens[i] === "{") depth++;
    else if (tokens[i] === "}" && --depth === 0) return i;
  }
  return tokens.length;
}

function rootFields(tokens: readonly string[]): string[] {
  const fields: string[] = [];
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    if (token === "{" || token === "(" || token === "[") depth++;
    else if (token === "}" || token === ")" || token === "]") depth--;
    else if (depth === 0 && /^[_A-Za-z]/.test(token) && fields.length < MOST) {
      const before = tokens[i - 1];
      const spread = before === "..." || (before === "on" && tokens[i - 2] === "...");
      if (!spread && before !== "@" && tokens[i + 1] !== ":") fields.push(token);
    }
  }
  return fields;
}
