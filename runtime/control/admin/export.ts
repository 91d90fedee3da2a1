import { environmentReferences } from "../../abi/environment.js";
import { answered, inQuery, listOf, objectOf, TEXT } from "../../process/operation.js";
import type { ResourceCatalog, StaticResource } from "../resource-catalog.js";
import type { SecretMasking } from "../secret-masking.js";
import { textAt, withTexts } from "../secret-paths.js";
import type { JsonObject, SecretPath, StoredResource } from "../store/store.js";
import { type ApiResponse, failure, json } from "./answer.js";
import { type AdminKind, adminKinds } from "./kinds.js";
import type { AdminOperation } from "./operation.js";

interface SecretVariable {
  name: string;
  resource: string;
  path: SecretPath;
}

interface Exported {
  configuration: Record<string, JsonObject[]>;
  variables: SecretVariable[];
  /** Resources such as "captcha_api_keys/k3y5hp2n" whose secret the gateway generated and no longer knows. */
  left_out: string[];
}

type Item = StoredResource | StaticResource;

interface ExportParts {
  resources: Pick<ResourceCatalog, "list">;
  redaction: Pick<SecretMasking, "replaced">;
}

const ADDED = ["create_time", "update_time"];
const ORIGINS = ["all", "files", "store"] as const;

/**
 * Exports every resource, with secrets as environment variables that the reader must set. Resources of files
 * come first, each kind in its order, which decides ties between routes.
 */
function exported({ resources, redaction }: ExportParts, origin: (typeof ORIGINS)[number]): Exported {
  const variables = new Variables();
  const leftOut: string[] = [];
  const lists = adminKinds().map((kind): [string, JsonObject[]] => {
    const items = resources
      .list(kind.segment)
      .filter((item) => origin === "all" || (origin === "files") === "place" in item);
    const isIssued = (item: Item) => kind.issue !== undefined && !("place" in item);
    leftOut.push(...items.filter(isIssued).map(({ id }) => `${kind.segment}/${id}`));
    return [
      kind.segment,
      items
        .filter((item) => !isIssued(item))
        .flatMap((item) => asWritten(item, kind, { variables, redaction })),
    ];
  });
  const configuration = Object.fromEntries(lists.filter(([, items]) => items.length > 0));
  return { configuration, variables: variables.made, left_out: leftOut };
}

function asWritten(
  item: Item,
  kind: AdminKind,
  { variables, redaction }: { variables: Variables } & Pick<ExportParts, "redaction">,
): JsonObject[] {
  const { kind: segment, id: own } = item;
  const known = new Set<string>();
  const standIn = (path: SecretPath) => `\${{${variables.nameOf(`${segment}/${own}`, path)}}}`;
  const open = redaction.replaced(item, ({ path, value }) => {
    known.add(JSON.stringify(path));
    return isReference(String(value)) ? undefined : standIn(path);
  });
  if (open === null) return [];
  const hidden = textsBelow(open, kind.hidden ?? []).filter(
    (path) => !known.has(JSON.stringify(path)) && !isReference(textAt(open, path)),
  );
  const value = withTexts(
    open,
    hidden.map((path) => [path, standIn(path)] as const),
  );
  const kept = Object.entries(value).filter(([field]) => !ADDED.includes(field) && field !== "id");
  const id = kind.identity === "username" ? {} : { id: open["id"] ?? own };
  return [{ ...id, ...Object.fromEntries(kept) } as JsonObject];
}

/** Reports whether a text contains no secret: it has references to variables, without defaults. */
function isReference(text: string | undefined): boolean {
  if (text === undefined) return true;
  const references = environmentReferences(text);
  return references.length > 0 && references.every(({ fallback = "" }) => fallback === "");
}

/** Returns the paths of texts below fields that responses hide. */
function textsBelow(value: JsonObject, fields: readonly string[]): SecretPath[] {
  return fields.flatMap((field) => {
    const hidden = (value as Record<string, unknown>)[field];
    if (typeof hidden === "string") return [[field]];
    return Array.isArray(hidden)
      ? hidden.flatMap((one, at) => (typeof one === "string" ? [[field, at]] : []))
      : [];
  });
}

/** Unique names of variables, such as CONSUMERS_ADA_PLUGINS_KEY_AUTH_KEY. */
class Variables {
  readonly made: SecretVariable[] = [];
  readonly #names = new Set<string>();

  nameOf(resource: string, path: SecretPath): string {
    const plain = [resource, ...path]
      .join("_")
      .replaceAll(/[^A-Za-z0-9]+/g, "_")
      .toUpperCase();
    let name = plain;
    for (let count = 2; this.#names.has(name); count += 1) name = `${plain}_${count}`;
    this.#names.add(name);
    this.made.push({ name, resource, path });
    return name;
  }
}

export const EXPORT: AdminOperation = {
  method: "GET",
  path: "export",
  name: "exportConfiguration",
  summary: "All resources as a configuration file",
  description:
    "An environment variable replaces each secret, and `variables` lists them. Listeners and other settings of the deployment are not resources.",
  parameters: [
    inQuery("origin", "files: only resources in files; store: only the others.", {
      ...{ enum: ORIGINS, default: "all" },
    }),
  ],
  answers: {
    200: answered(
      "resources, and the variables to set",
      objectOf({
        configuration: {
          ...{ type: "object", additionalProperties: listOf({ type: "object" }) },
          description: "Configuration file as JSON, as `gwc check` accepts it.",
        },
        variables: listOf(
          objectOf({ name: TEXT, resource: TEXT, path: listOf({ type: ["string", "integer"] }) }),
        ),
        left_out: {
          ...listOf(TEXT),
          description: "Resources with generated secrets, of which the gateway stores only a digest.",
        },
      }),
    ),
    400: answered("invalid origin", { type: "object", properties: { error_msg: TEXT } }),
  },
  async answer({ configuration }, { query }): Promise<ApiResponse> {
    const asked = query.get("origin") ?? "all";
    const origin = ORIGINS.find((one) => one === asked);
    if (origin === undefined) return failure(400, `invalid argument origin: should be ${ORIGINS.join(", ")}`);
    await configuration.credentials.ready();
    return {
      ...json(200, exported(configuration, origin)),
      headers: { "Cache-Control": "no-store" },
    };
  },
};
