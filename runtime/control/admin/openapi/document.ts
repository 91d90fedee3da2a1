import { VERSION } from "../../../abi/version.js";
import type {
  DescribedOperation,
  DescribedParameter,
  DescribedResponse,
} from "../../../process/operation.js";
import { HEALTH_SHAPES, HEALTHCHECK_OPERATIONS } from "../healthcheck.js";
import { HISTORY_SHAPES } from "../history-operations.js";
import { adminKinds } from "../kinds.js";
import { OVERVIEW_SHAPES } from "../overview-operations.js";
import { TRACE_SHAPES } from "../trace.js";
import { WHICH_ROUTE_SHAPES } from "../which-route.js";
import { COMMON_ANSWERS, commonAnswers, SHAPES } from "./common.js";
import { resourceSchemas } from "./resource-schemas.js";
import { resourceOperations } from "./resources.js";

const DESCRIPTION = `Configures and queries a running gateway. The response to a write is sent when every worker serves the change; a rejected write changes nothing.

HEAD is supported wherever GET is. A path that is not listed here returns 404. A method that its path does not list returns 404, 405 or 400 with \`error_msg\`; a method other than GET, HEAD, PUT, POST, PATCH and DELETE returns 405 with an HTML page. Responses below \`/gw/admin\` have the header \`X-API-VERSION: v3\`.`;

interface Place {
  path: string;
  /** Suffix of the operation's name if it has several paths. */
  suffix: string;
  parameters: readonly DescribedParameter[];
}

/**
 * @param operations those not on resources, below `/gw/admin/`
 * @param files schemas of configuration files by name, from the compiler (`schemaComponents`)
 */
export function openApiDocument(
  operations: readonly DescribedOperation[],
  files: Readonly<Record<string, object>>,
): object {
  const paths: Record<string, Record<string, object>> = {};
  const add = (prefix: string, operation: DescribedOperation, tag: string): void => {
    for (const { path, ...place } of placesOf(operation.path)) {
      const methods = (paths[`${prefix}${path}`] ??= {});
      methods[operation.method.toLowerCase()] = describedOperation(operation, place, tag);
    }
  };
  for (const kind of adminKinds())
    for (const operation of resourceOperations(kind)) add("/gw/admin/", operation, kind.label);
  for (const operation of operations) add("/gw/admin/", operation, operation.path.split("/", 1)[0] ?? "");
  for (const operation of HEALTHCHECK_OPERATIONS) add("/", operation, "healthcheck");
  const schemas = {
    ...{ ...files, ...SHAPES, ...HEALTH_SHAPES, ...HISTORY_SHAPES },
    ...{ ...OVERVIEW_SHAPES, ...TRACE_SHAPES, ...WHICH_ROUTE_SHAPES, ...resourceSchemas(files) },
  };
  return {
    openapi: "3.1.0",
    info: {
      title: "Admin API of gwc",
      version: VERSION,
      description: DESCRIPTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    servers: [
      { url: "/", description: "The address that serves this document (deployment.admin.admin_listen)." },
    ],
    security: [{ "X-API-KEY": [] }],
    tags: tagsOf(paths).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        "X-API-KEY": {
          type: "apiKey",
          in: "header",
          name: "X-API-KEY",
          description: "A key of deployment.admin.admin_key. One of role viewer may only read.",
        },
      },
      responses: Object.fromEntries(
        Object.entries(COMMON_ANSWERS).map(([name, answer]) => [name, describedAnswer(answer)]),
      ),
      schemas: reachable({ paths, COMMON_ANSWERS }, schemas),
    },
  };
}

/** Expands `{kind}`. Kinds in folders ("captcha/site-keys") have a path each: braces hold one segment. */
function placesOf(path: string): Place[] {
  if (!path.includes("{kind}")) return [{ path, suffix: "", parameters: [] }];
  const folders = new Map<string, string[]>();
  for (const kind of adminKinds()) {
    const [name = "", folder = ""] = kind.path.split("/").reverse();
    folders.set(folder, [...(folders.get(folder) ?? []), name]);
  }
  return [...folders].map(([folder, names]) => ({
    path: folder === "" ? path : path.replace("{kind}", `${folder}/{kind}`),
    suffix: folder === "" ? "" : `Of${folder.charAt(0).toUpperCase()}${folder.slice(1)}`,
    parameters: [{ in: "path", name: "kind", description: "Kind of resource.", schema: { enum: names } }],
  }));
}

function describedOperation(operation: DescribedOperation, place: Omit<Place, "path">, tag: string): object {
  const { name, summary, description, path, body, answers } = operation;
  const asked = [...place.parameters, ...(operation.parameters ?? [])];
  const named = (given: string) => asked.some((one) => one.in === "path" && one.name === given);
  const others = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, given = ""]): DescribedParameter[] =>
    named(given)
      ? []
      : [{ in: "path", name: given, description: `The ${given}.`, schema: { type: "string" } }],
  );
  const parameters = [...asked, ...others].map((one) => ({
    ...one,
    ...(one.in === "path" && { required: true }),
  }));
  return {
    operationId: `${name}${place.suffix}`,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { ...body, content: describedContent(body.content) } }),
    responses: answersOf(operation, answers),
  };
}

function answersOf(operation: DescribedOperation, own: DescribedOperation["answers"]): object {
  const all: Record<string, object> = {};
  for (const [status, answer] of Object.entries(own)) all[status] = describedAnswer(answer);
  for (const [name, { status, ...common }] of commonAnswers(operation)) {
    const described = own[status];
    // An operation with its own description of a status may still give the common response.
    all[status] = described
      ? describedAnswer({ ...described, content: { ...common.content, ...described.content } })
      : { $ref: `#/components/responses/${name}` };
  }
  return all;
}

function describedAnswer({ description, content, headers }: DescribedResponse): object {
  const fields = Object.entries(headers ?? {}).map(([name, says]) => [
    name,
    { description: says, schema: { type: "string" } },
  ]);
  return {
    description,
    ...(fields.length > 0 && { headers: Object.fromEntries(fields) }),
    ...(content !== undefined && { content: describedContent(content) }),
  };
}

function describedContent(content: NonNullable<DescribedResponse["content"]>): object {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));
}

function tagsOf(paths: Readonly<Record<string, Record<string, object>>>): string[] {
  const operations = Object.values(paths).flatMap(
    (methods) => Object.values(methods) as { tags: string[] }[],
  );
  return [...new Set(operations.flatMap(({ tags }) => tags))];
}

/** Returns the schemas that `from` references, directly or through each other, sorted by name. */
function reachable(from: unknown, schemas: Readonly<Record<string, object>>): Record<string, object> {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    for (const [, name = ""] of JSON.stringify(node).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(schemas[name] ?? {});
    }
  };
  visit(from);
  return Object.fromEntries([...found].sort().map((name) => [name, schemas[name] ?? {}]));
}
