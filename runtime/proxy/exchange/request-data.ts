import { createRequire } from "node:module";
import type { OperationDefinitionNode, SelectionNode } from "graphql";
import { decodeUtf8, encodeUtf8 } from "../../abi/text/bytes.js";
import { decodeQueryValue, queryValue } from "../../http/request-values.js";

/** JSON value, or an object of form fields. */
type Data = unknown;

const FORM = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;
const GRAPHQL = /^application\/graphql[ \t]*(?:;|$)/i;
const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json[ \t]*(?:;|$)/i;
const MULTIPART = /^multipart\/form-data[ \t]*;.*?\bboundary=(?:"([^"]{1,70})"|([^ \t;]{1,70}))/i;
const DISPOSITION = /^content-disposition:[ \t]*form-data\b(.*)$/im;
const PART_NAME = /;[ \t]*name=(?:"((?:[^"\\]|\\.)*)"|([^ \t\r\n;]+))/i;

/** Request body, parsed once by its Content-Type. */
export class RequestData {
  readonly body: string;
  readonly #contentType: string;
  #data: Data = undefined;
  #isParsed = false;

  constructor(contentType: string, body: string) {
    this.#contentType = contentType;
    this.body = body;
  }

  formField(name: string): string | undefined {
    return FORM.test(this.#contentType) ? queryValue(this.body, name) : undefined;
  }

  /**
   * Returns the value at `path` as a byte string; lists and objects as JSON. A path with "[", "*" or ".." is
   * a JSONPath (names, indexes, wildcards, descent; no filters) and gives a JSON list of all matches.
   */
  value(path: string): string | undefined {
    const data = this.#parsed();
    const text = decodeUtf8(path);
    if (!/[[*]|\.\./.test(text)) return asText(text.split(".").reduce(member, data));
    const found = select(data, text);
    return found === undefined || found.length === 0 ? undefined : listText(found);
  }

  /** @param part "name", "operation" or "root_fields" of a GraphQL request */
  graphql(part: string): string | undefined {
    const plain = GRAPHQL.test(this.#contentType);
    const data = plain ? undefined : this.#parsed();
    const document = plain ? decodeUtf8(this.body) : member(data, "query");
    const wanted = member(data, "operationName");
    if (typeof document !== "string") return undefined;
    const found = graphqlOperation(document, typeof wanted === "string" ? wanted : undefined);
    if (part !== "root_fields") return part === "name" ? found?.name?.value : found?.operation;
    return found?.selectionSet.selections.flatMap(fieldName).slice(0, MAX_ROOT_FIELDS).join(",");
  }

  #parsed(): Data {
    if (!this.#isParsed) this.#data = parse(this.#contentType, this.body);
    this.#isParsed = true;
    return this.#data;
  }
}

/** @returns undefined for an unknown type, or a body that does not conform to it, such as truncated JSON */
function parse(contentType: string, body: string): Data {
  if (FORM.test(contentType)) return formData(body);
  if (JSON_TYPE.test(contentType)) {
    try {
      return JSON.parse(decodeUtf8(body));
    } catch {
      return undefined;
    }
  }
  const [, quoted, bare] = MULTIPART.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  return boundary === undefined ? undefined : multipartData(body, boundary);
}

/** First value of each form field. */
function formData(body: string): Data {
  const fields = new Map<string, string>();
  for (const part of body.split("&")) {
    const equals = part.indexOf("=");
    const name = decodeQueryValue(equals < 0 ? part : part.slice(0, equals));
    if (name !== "" && !fields.has(name))
      fields.set(name, equals < 0 ? "" : decodeQueryValue(part.slice(equals + 1)));
  }
  return bytesData(fields);
}

/** First value of each field that is not a file (RFC 7578). */
function multipartData(body: string, boundary: string): Data {
  const fields = new Map<string, string>();
  for (const part of `\r\n${body}`.split(`\r\n--${boundary}`).slice(1)) {
    const end = part.indexOf("\r\n\r\n");
    if (end < 0) continue;
    const [, parameters = ""] = DISPOSITION.exec(part.slice(0, end)) ?? [];
    const [, quoted, bare] = PART_NAME.exec(parameters) ?? [];
    const name = quoted?.replace(/\\(.)/g, "$1") ?? bare;
    if (name === undefined || /;[ \t]*filename\*?=/i.test(parameters)) continue;
    if (!fields.has(name)) fields.set(name, part.slice(end + 4));
  }
  return bytesData(fields);
}

/** Converts fields to text as in JSON, so that one walk serves all; names are plain data, "__proto__" too. */
function bytesData(fields: ReadonlyMap<string, string>): Data {
  return Object.fromEntries(Array.from(fields, ([name, value]) => [decodeUtf8(name), decodeUtf8(value)]));
}

/** @returns undefined for a value that is nested deeper than the stack */
function jsonText(value: Data): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Serializes as many values as fit: nested values repeat their content, up to a thousand times the body. */
function listText(values: readonly Data[]): string | undefined {
  const texts: string[] = [];
  let left = MAX_TEXT;
  for (const value of values) {
    const text = jsonText(value);
    left -= text?.length ?? 0;
    if (text === undefined || left < 0) break;
    texts.push(text);
  }
  return texts.length === 0 ? undefined : encodeUtf8(`[${texts.join(",")}]`);
}

function asText(value: Data): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === "string" ? value : jsonText(value);
  return text === undefined ? undefined : encodeUtf8(text);
}

function member(value: Data, name: string): Data {
  if (typeof value !== "object" || value === null || !Object.prototype.propertyIsEnumerable.call(value, name))
    return undefined;
  return (value as Record<string, unknown>)[name];
}

/** JSONPath step: `..name`, `..*`, `.name`, `.*`, `[0]`, `[-1]`, `['name']`, `["name"]`, `[*]`. */
const STEP = /(\.\.|\.|)(?:\[(?:(-?\d+)|'([^']*)'|"([^"]*)"|(\*))\]|([^.[\]*]+)|(\*))/y;
/** Maximum matches of a path; a descent into everything could find more than a record can hold. */
const MOST = 1_000;
/** Maximum characters of a list of matches. */
const MAX_TEXT = 65_536;

/** @returns undefined if the path is invalid */
function select(data: Data, path: string): Data[] | undefined {
  let values: Data[] = [data];
  STEP.lastIndex = path.startsWith("$") ? 1 : 0;
  while (STEP.lastIndex < path.length) {
    const step = STEP.exec(path);
    if (step === null) return undefined;
    const [, dots, index, single, double, bracketStar, name, star] = step;
    const from = dots === ".." ? withDescendants(values) : values;
    const key = index ?? single ?? double ?? name;
    const every = bracketStar !== undefined || star !== undefined;
    values = from.flatMap((value) => (every ? children(value) : child(value, key ?? ""))).slice(0, MOST);
  }
  return values;
}

function children(value: Data): Data[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function child(value: Data, key: string): Data[] {
  const name = Array.isArray(value) && key.startsWith("-") ? String(value.length + Number(key)) : key;
  if (Array.isArray(value) && !/^\d+$/.test(name)) return [];
  const found = member(value, name);
  return found === undefined ? [] : [found];
}

function withDescendants(values: readonly Data[]): Data[] {
  const all = values.slice(0, MOST);
  for (let i = 0; i < all.length; i++)
    all.push(...children(all[i]).slice(0, MOST - Math.min(MOST, all.length)));
  return all;
}

/** Maximum root fields, which are those of the outermost selection, without aliases. */
const MAX_ROOT_FIELDS = 100;
/** Maximum tokens of a document: 9 µs for 60 of them, and no deeper than the stack allows. */
const MAX_TOKENS = 2_000;

let library: typeof import("graphql/language/parser.js") | undefined;

/** The operation with this name, otherwise the first. Undefined if the document is invalid or has none. */
function graphqlOperation(document: string, operationName?: string): OperationDefinitionNode | undefined {
  const operations = operationsOf(document);
  const found = operations.find(({ name }) => operationName === undefined || name?.value === operationName);
  return found ?? operations[0];
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
