import { createRequire } from "node:module";
import type { OperationDefinitionNode, SelectionNode } from "graphql";

/** Operation of a GraphQL document, as far as logs name it. */
export interface GraphqlOperation {
  /** Value: "query", "mutation" or "subscription". */
  operation: string;
  name: string | undefined;
  /** Fields of the outermost selection, without aliases. */
  rootFields: string[];
}

/** Maximum root fields. */
const MOST = 100;
/** Maximum tokens of a document: 9 µs for 60 of them, and no deeper than the stack allows. */
const MAX_TOKENS = 2_000;

let library: typeof import("graphql/language/parser.js") | undefined;

/** The operation with this name, otherwise the first. Undefined if the document is invalid or has none. */
export function graphqlOperation(document: string, operationName?: string): GraphqlOperation | undefined {
  const operations = operationsOf(document);
  const found = operations.find(({ name }) => operationName === undefined || name?.value === operationName);
  const { operation, name, selectionSet } = found ?? operations[0] ?? {};
  if (operation === undefined || selectionSet === undefined) return undefined;
  return {
    operation,
    name: name?.value,
    rootFields: selectionSet.selections.flatMap(fieldName).slice(0, MOST),
  };
}

function operationsOf(document: string): OperationDefinitionNode[] {
  // Loaded with the first document: 20 ms and 4 MB that most gateways never need.
  library ??= createRequire(import.meta.url)("graphql/language/parser.js") as NonNullable<typeof library>;
  try {
    const { definitions } = library.parse(document, { noLocation: true, maxTokens: MAX_TOKENS });
    return definitions.filter((definition) => definition.kind === "OperationDefinition");
  } catch {
    return [];
  }
}

const fieldName = (selection: SelectionNode): string[] =>
  selection.kind === "Field" ? [selection.name.value] : [];
