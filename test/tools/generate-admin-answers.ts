/**
 * Writes `runtime/dashboard/api/answers.gen.ts`: types of the answers of the admin API that pages read, made of its
 * OpenAPI document. `node .build/test/tools/generate-admin-answers.js`, after the build.
 */
import "../../plugins/index.js";
import { writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { schemaComponents } from "../../compiler/2-validate/published.js";
import { adminDocument } from "../../runtime/control/admin/operations.js";

export const ANSWERS_FILE = fileURLToPath(
  new URL(
    import.meta.url.includes("/.build/")
      ? "../../../runtime/dashboard/api/answers.gen.ts"
      : "../../runtime/dashboard/api/answers.gen.ts",
    import.meta.url,
  ),
);

const BANNER =
  "// Generated from the OpenAPI document of the admin API by `npm run types`. Change its operations, not this file.\n";

type Schema = Readonly<Record<string, unknown>>;
interface Described {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}
interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

/** Operations whose answers the pages read by their shape. */
const READ = new Set([
  ...["readSession", "readPlugins", "readPluginReadme", "readOverview", "readNodes", "readLogs", "purgeLogs"],
  ...[
    "listCertificates",
    "readCertificate",
    "listChanges",
    "readChange",
    "exportConfiguration",
    "readModule",
  ],
  ...["askWhichRoute", "tryRegex", "listTraces", "readTrace"],
]);
/** Parts that writes answer beside a resource. */
const PARTS = ["Effect", "DraftedModules"];

/** The text of the file. */
export async function adminAnswers(): Promise<string> {
  const document = adminDocument(schemaComponents()) as unknown as Described;
  const answers: Record<string, Schema> = {};
  for (const methods of Object.values(document.paths))
    for (const { operationId, responses } of Object.values(methods)) {
      const schema = (responses["200"] ?? responses["201"])?.content?.["application/json"]?.schema;
      if (READ.has(operationId) && schema !== undefined) answers[operationId] = schema;
    }
  for (const name of PARTS) answers[name] = { $ref: `#/components/schemas/${name}` };
  const root = {
    title: "Answers",
    ...{ type: "object", properties: answers, required: Object.keys(answers), additionalProperties: false },
    definitions: document.components.schemas,
  };
  return compile(typed(root) as JSONSchema, "Answers", {
    ...{ bannerComment: BANNER, additionalProperties: false },
    style: { printWidth: 110 },
  });
}

/**
 * What the generator understands of it, which is draft 4: its home of definitions and its tuples. Objects of which no member is named hold
 * anything; how long a list is makes no type.
 */
function typed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(typed);
  if (typeof node !== "object" || node === null) return node;
  const { $ref, minItems: _, maxItems: __, prefixItems, ...given } = node as Schema;
  if (typeof $ref === "string") return { $ref: $ref.replace("#/components/schemas/", "#/definitions/") };
  if (Object.keys(given).join() === "description") return { tsType: "unknown" };
  // The document has the descriptions. A field of this name is no text, but a schema.
  const rest = Object.entries(given).filter(
    ([name, value]) => name !== "description" || typeof value !== "string",
  );
  const copy = Object.fromEntries(rest.map(([name, value]) => [name, typed(value)]));
  if (Array.isArray(prefixItems)) {
    const { length } = prefixItems;
    return { ...copy, items: typed(prefixItems), additionalItems: false, minItems: length, maxItems: length };
  }
  const types = [copy["type"]].flat();
  const isOpen = types.includes("object") && !("properties" in copy) && !("additionalProperties" in copy);
  return isOpen ? { tsType: `Record<string, unknown>${types.includes("null") ? " | null" : ""}` } : copy;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  writeFileSync(ANSWERS_FILE, await adminAnswers());
