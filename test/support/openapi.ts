import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

type Schema = Record<string, unknown>;
type Content = Record<string, { schema: Schema }>;
interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  schema: Schema;
}
interface Response {
  $ref?: string;
  description?: string;
  content?: Content;
}
interface Described {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Content; required: boolean };
  responses: Record<string, Response>;
}

export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
}

/** One operation with its method and path. */
export interface Operation extends Described {
  /** "GET". */
  method: string;
  /** "/gw/admin/routes/{id}". */
  path: string;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Keywords of a document that are no schema keywords; ajv would reject them as misspelled. */
const WORDS = [
  ...["openapi", "info", "jsonSchemaDialect", "servers", "security", "tags", "paths", "components"],
];
const DOCUMENT = "document";

/** A document, which validates values and responses. */
export class OpenApi {
  readonly document: OpenApiDocument;
  readonly operations: Operation[];
  readonly #ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  readonly #known = new Map<Schema, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.document = document;
    this.#ajv.addVocabulary(WORDS);
    this.#ajv.addSchema(document, DOCUMENT);
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        path,
        method: method.toUpperCase(),
      })),
    );
  }

  operation(name: string): Operation {
    const found = this.operations.find(({ operationId }) => operationId === name);
    if (found === undefined) throw new Error(`no operation is called ${name}`);
    return found;
  }

  /** Violations of a schema of the document; empty if the value is valid. */
  faults(schema: Schema, value: unknown): string[] {
    const validate = this.#validator(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  /** Deviations of a response from the operation; empty if there are none. */
  undocumented({ responses }: Operation, { status, headers, text }: Answer): string[] {
    const named = responses[status];
    if (named === undefined) return [`status ${status} is not documented: ${text}`];
    const [, name = ""] = /^#\/components\/responses\/(.+)$/.exec(named.$ref ?? "") ?? [];
    const { content } = named.$ref === undefined ? named : (this.document.components.responses[name] ?? {});
    if (text === "") return [];
    const [type = ""] = String(headers["content-type"]).split(";");
    const schema = content?.[type]?.schema;
    if (schema === undefined) return [`status ${status} has no content of type ${type}: ${text}`];
    return this.faults(schema, type === "application/json" ? JSON.parse(text) : text);
  }

  #validator(schema: Schema): ValidateFunction {
    const known = this.#known.get(schema);
    if (known) return known;
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${DOCUMENT}#/`);
    const made = this.#ajv.compile(JSON.parse(text) as Schema);
    this.#known.set(schema, made);
    return made;
  }
}
