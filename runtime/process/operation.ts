/** JSON Schema 2020-12; it refers to components of the admin API's document ("#/components/schemas/Error"). */
export type DescribedSchema = Readonly<Record<string, unknown>>;

export interface DescribedParameter {
  in: "path" | "query" | "header";
  name: string;
  description: string;
  schema: DescribedSchema;
}

export const inQuery = (name: string, description: string, schema: DescribedSchema): DescribedParameter => ({
  ...{ in: "query", name, description, schema },
});

/** Schemas of a body, by media type. */
type DescribedContent = Readonly<Record<string, DescribedSchema>>;

interface DescribedBody {
  description: string;
  content: DescribedContent;
  required: boolean;
}

/** A response of an operation by its status; without `content` the body is empty. */
export interface DescribedResponse {
  description: string;
  content?: DescribedContent;
  headers?: Readonly<Record<string, string>>;
}

/** The server serves only described operations; they make up `GET /gw/admin/openapi.json`. */
export interface DescribedOperation {
  method: "GET" | "PUT" | "POST" | "PATCH" | "DELETE";
  /**
   * Path behind the prefix, or behind the folder of a service: "decisions/{request_id}". A name in braces is
   * one segment; `{kind}` is the path of a kind of resource, which may have two ("captcha/site-keys").
   */
  path: string;
  /** Unique name of the operation in generated clients: "readDecision". */
  name: string;
  summary: string;
  description?: string;
  /** Set for an operation that changes nothing although its method writes: a viewer key may use it. */
  onlyAsks?: true;
  /** Parameters; those of the path only if they need a description. */
  parameters?: readonly DescribedParameter[];
  body?: DescribedBody;
  /** Responses by status. The statuses of every operation (401, 500, …) are added. */
  answers: Readonly<Record<number, DescribedResponse>>;
}

export const component = (name: string): DescribedSchema => ({ $ref: `#/components/schemas/${name}` });

export const answered = (description: string, schema: DescribedSchema): DescribedResponse => ({
  description,
  content: { "application/json": schema },
});

/** Describes an error response, with `error_msg`. */
export const errorResponse = (description: string): DescribedResponse =>
  answered(description, component("Error"));

export const TEXT: DescribedSchema = { type: "string" };
export const TEXTS: DescribedSchema = { type: "array", items: TEXT };
export const TEXT_OR_NULL: DescribedSchema = { type: ["string", "null"] };
export const WHOLE_NUMBER: DescribedSchema = { type: "integer" };
export const NUMBER: DescribedSchema = { type: "number" };
export const NUMBER_OR_NULL: DescribedSchema = { type: ["number", "null"] };
export const TRUE_OR_FALSE: DescribedSchema = { type: "boolean" };

/** Describes an object with all of these members. */
export const objectOf = (
  properties: Readonly<Record<string, DescribedSchema>>,
  description?: string,
): DescribedSchema => ({
  ...{ type: "object", properties, required: Object.keys(properties) },
  ...(description !== undefined && { description }),
});

/** Describes an object that may lack the named members. */
export const openObject = (
  properties: Readonly<Record<string, DescribedSchema>>,
  optional: readonly string[],
): DescribedSchema => ({
  ...{ type: "object", properties },
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

/** Describes a request body of JSON, which is required. */
export const jsonBody = (description: string, schema: DescribedSchema): DescribedBody => ({
  ...{ description, content: { "application/json": schema }, required: true },
});

export const FIELD: DescribedSchema = {
  ...{ type: "array", prefixItems: [TEXT, TEXT], items: false, minItems: 2, maxItems: 2 },
};

export const listOf = (items: DescribedSchema): DescribedSchema => ({ type: "array", items });

export const orNull = (schema: DescribedSchema): DescribedSchema => ({ anyOf: [schema, { type: "null" }] });
