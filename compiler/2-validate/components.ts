import type { SchemaNode } from "../../schema/schemas.js";
import { combinedDefinitions } from "./combined.js";

/** Mask that responses hold instead of a secret, and that a write may send back. */
const MASK = "^\\*{3}[0-9a-f]{8}$";

/**
 * Returns all files as JSON Schema 2020-12, by name ("route", "parts.id", "plugins.key-auth"). They refer to
 * each other as components of an OpenAPI 3.1 document do.
 */
export function schemaComponents(): Record<string, object> {
  return combinedDefinitions({ reference: (name) => `#/components/schemas/${name}`, finish });
}

function finish(copy: SchemaNode, source: SchemaNode): SchemaNode {
  const { dependencies, ...node } = copy;
  // 2020-12 has no such keyword of draft-07.
  const renamed = dependencies === undefined ? copy : { ...node, dependentSchemas: dependencies };
  if (source["x-secret"] !== true || renamed.pattern === undefined) return renamed;
  const { description, ...secret } = renamed;
  const mask = { description: "Mask that answers hold in its place.", type: "string", pattern: MASK };
  return { ...(description !== undefined && { description }), anyOf: [secret, mask] };
}
