/** Part of a JSON Schema (draft 7) that the interface reads. */
export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  definitions?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  [more: string]: unknown;
}

/** Keywords of a schema take precedence over its reference. @param root contains `#/definitions/…` */
export function resolved(schema: Schema | undefined, root: Schema): Schema | undefined {
  let [found, words] = [schema, {} as Schema];
  for (let depth = 0; found?.$ref !== undefined && depth < 8; depth++) {
    const { $ref, ...own } = found;
    words = { ...own, ...words };
    found = root.definitions?.[$ref.replace("#/definitions/", "")];
  }
  return found && { ...found, ...words };
}
