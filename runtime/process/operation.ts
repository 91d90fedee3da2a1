/** JSON Schema 2020-12; what it refers to are components of the document of the admin API ("#/components/schemas/Error"). */
export type DescribedSchema = Readonly<Record<string, unknown>>;

/** Something that is asked beside a body: in the path, the query or a field of the head. */
export interface DescribedParameter {
  in: "path" | "query" | "header";
  name: string;
  description: string;
  schema: DescribedSchema;
}

/** What a body or an answer is: a schema by each media type that it may have. */
export type DescribedContent = Readonly<Record<string, DescribedSchema>>;

/** What one status of an operation means; without `content` the body is empty. */
export interface DescribedAnswer {
  description: string;
  content?: DescribedContent;
  /** Fields of the head and what they say. */
  headers?: Readonly<Record<string, string>>;
}

/**
 * One operation of the admin API. The server answers nothing that is not described so, and the OpenAPI document
 * (`GET /gw/admin/openapi.json`) is made of these descriptions.
 */
export interface DescribedOperation {
  method: "GET" | "PUT" | "POST" | "PATCH" | "DELETE";
  /**
   * After the prefix, or the folder of a service: "decisions/{request_id}". A name in braces stands for one segment; `{kind}` for
   * the path of a kind of resource, which may take two ("captcha/site-keys").
   */
  path: string;
  /** Unique among all; what generated clients call it: "readDecision". */
  name: string;
  /** One line. */
  summary: string;
  description?: string;
  /** Changes nothing although its method is that of a write: a viewer may send it. */
  onlyAsks?: true;
  /** Those of the path need not be named unless there is something to say. */
  parameters?: readonly DescribedParameter[];
  body?: { description: string; content: DescribedContent; required: boolean };
  /** By status. What every operation may answer (401, 500, …) is added. */
  answers: Readonly<Record<number, DescribedAnswer>>;
}

/** A component of the document. */
export const component = (name: string): DescribedSchema => ({ $ref: `#/components/schemas/${name}` });

/** An answer in JSON. */
export const answered = (description: string, schema: DescribedSchema): DescribedAnswer => ({
  description,
  content: { "application/json": schema },
});

/** An answer of the shape of errors: `error_msg`. */
export const errorAnswer = (description: string): DescribedAnswer =>
  answered(description, component("Error"));

export const TEXT: DescribedSchema = { type: "string" };
export const TEXTS: DescribedSchema = { type: "array", items: TEXT };
export const TEXT_OR_NULL: DescribedSchema = { type: ["string", "null"] };
export const WHOLE_NUMBER: DescribedSchema = { type: "integer" };
export const NUMBER: DescribedSchema = { type: "number" };
export const NUMBER_OR_NULL: DescribedSchema = { type: ["number", "null"] };
export const TRUE_OR_FALSE: DescribedSchema = { type: "boolean" };

/** An object that has all of these members. */
export const objectOf = (
  properties: Readonly<Record<string, DescribedSchema>>,
  description?: string,
): DescribedSchema => ({
  ...{ type: "object", properties, required: Object.keys(properties) },
  ...(description !== undefined && { description }),
});

/** Name and value of a field of a head. */
export const FIELD: DescribedSchema = {
  ...{ type: "array", prefixItems: [TEXT, TEXT], items: false, minItems: 2, maxItems: 2 },
};

export const listOf = (items: DescribedSchema): DescribedSchema => ({ type: "array", items });

export const orNull = (schema: DescribedSchema): DescribedSchema => ({ anyOf: [schema, { type: "null" }] });
