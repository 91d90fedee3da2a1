/**
 * Writes `runtime/dashboard/api/answers.gen.ts`: types of what the admin API answers, made of its OpenAPI document, so that the web
 * interface reads what the server says that it answers. `node .build/test/tools/generate-admin-answers.js`, after the build.
 */
import "../../plugins/index.js";
import { writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { schemaComponents } from "../../compiler/2-validate/components.js";
import { adminDocument, OPERATIONS } from "../../runtime/control/admin/operations.js";

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

/** Answers that no page reads by their shape, or of which nothing is described. */
const NOT_READ = new Set(["readOpenApi", "validateConfiguration"]);
/** Parts that writes answer beside a resource, and the shape of each resource. */
const PARTS = ["Findings", "Effect", "DraftedModules"];

/** The text of the file. */
export async function adminAnswers(): Promise<string> {
  const document = adminDocument(schemaComponents()) as unknown as Described;
  const own = new Set(OPERATIONS.map(({ name }) => name).filter((name) => !NOT_READ.has(name)));
  const answers: Record<string, Schema> = {};
  for (const methods of Object.values(document.paths))
    for (const { operationId, responses } of Object.values(methods)) {
      const schema = (responses["200"] ?? responses["201"])?.content?.["application/json"]?.schema;
      if (own.has(operationId) && schema !== undefined) answers[operationId] = schema;
    }
  for (const name of PARTS) answers[name] = { $ref: `#/components/schemas/${name}` };
  const root = {
    ...{
      title: "Answers",
      description: "Answers of operations of the admin API that succeed, by their names.",
    },
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
  const { $ref, minItems: _, maxItems: __, prefixItems, ...rest } = node as Schema;
  if (typeof $ref === "string") return { $ref: $ref.replace("#/components/schemas/", "#/definitions/") };
  if (Object.keys(rest).join() === "description") return { ...rest, tsType: "unknown" };
  const copy = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, typed(value)]));
  if (Array.isArray(prefixItems)) {
    const { length } = prefixItems;
    return { ...copy, items: typed(prefixItems), additionalItems: false, minItems: length, maxItems: length };
  }
  const isOpen = [copy["type"]].flat().includes("object") && copy["properties"] === undefined;
  return isOpen && copy["additionalProperties"] === undefined
    ? { ...copy, additionalProperties: true }
    : copy;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  writeFileSync(ANSWERS_FILE, await adminAnswers());
