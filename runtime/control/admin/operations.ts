import type { CompilerThread } from "../../../compiler/thread/compiler-client.js";
import { serviceContributions } from "../../../plugins/control.js";
import { VERSION } from "../../abi/version.js";
import { answered, objectOf, TEXT, TEXT_OR_NULL, WHOLE_NUMBER } from "../../process/operation.js";
import { ADOPT } from "./adopt.js";
import { type ApiResponse, json } from "./answer.js";
import { CERTIFICATE_OPERATIONS } from "./certificates.js";
import { EXPORT } from "./export.js";
import { HISTORY_OPERATIONS } from "./history-operations.js";
import { LOGS_OPERATIONS } from "./logs-operations.js";
import { NODES } from "./nodes.js";
import { openApiDocument } from "./openapi/document.js";
import { type AdminOperation, compiled, fits } from "./operation.js";
import { OVERVIEW_OPERATIONS } from "./overview-operations.js";
import { REGEX } from "./regex.js";
import { SCHEMA_OPERATIONS } from "./schema.js";
import { TRACE_OPERATIONS } from "./trace.js";
import { VALIDATE_CONFIGURATION } from "./validate.js";
import { WHICH_ROUTE, WHICH_ROUTE_LIVE } from "./which-route.js";

/** Operation that shows name and role of a key. A gwc extension, for the web interface and scripts. */
const SESSION: AdminOperation = {
  method: "GET",
  path: "session",
  name: "readSession",
  summary: "Name and role of the key, and the running generation",
  answers: {
    200: answered(
      "the session",
      objectOf({
        name: { ...TEXT_OR_NULL, description: "Name of the key; null: no key is required." },
        role: { enum: ["admin", "viewer"] },
        ...{ version: TEXT, generation: WHOLE_NUMBER },
        read_only: { ...TEXT_OR_NULL, description: "Reason why all writes are rejected." },
      }),
    ),
  },
  answer: ({ readOnly, generation }, { key }) =>
    json(200, {
      name: key?.name ?? null,
      role: key?.role ?? "admin",
      version: VERSION,
      generation: generation(),
      read_only: readOnly() ?? null,
    }),
};

const OPENAPI: AdminOperation = {
  method: "GET",
  path: "openapi.json",
  name: "readOpenApi",
  summary: "This document",
  answers: { 200: answered("OpenAPI 3.1", { type: "object", required: ["openapi", "info", "paths"] }) },
  answer: (parts) => compiled(parts, documentOf),
};

const ofServices = (): AdminOperation[] =>
  serviceContributions().flatMap(({ name, plugin, operations, answer }) =>
    operations.map((operation) => ({
      ...operation,
      path: `${name}/${operation.path}`,
      answer: (parts, request, below) => answer(parts.services.end(plugin), { ...request, segments: below }),
    })),
  );

/**
 * Operations except those on resources (`kinds.ts`); the server and the OpenAPI document both read them. The
 * first path that matches a request is used.
 */
export const OPERATIONS: readonly AdminOperation[] = [
  SESSION,
  OPENAPI,
  ...SCHEMA_OPERATIONS,
  VALIDATE_CONFIGURATION,
  ADOPT,
  WHICH_ROUTE,
  WHICH_ROUTE_LIVE,
  ...HISTORY_OPERATIONS,
  EXPORT,
  ...OVERVIEW_OPERATIONS,
  ...CERTIFICATE_OPERATIONS,
  ...LOGS_OPERATIONS,
  NODES,
  REGEX,
  ...TRACE_OPERATIONS,
  ...ofServices(),
];

/** Returns the operations at the path of a request, one for each method; empty if no path matches. */
export function operationsAt(segments: readonly string[]): readonly AdminOperation[] {
  const found = OPERATIONS.filter(({ path }) => fits(path, segments));
  return found.filter(({ path }) => path === found[0]?.path);
}

/** Returns the operation of a request; undefined if it is for a resource or unknown. */
export const operationOf = (method: string, segments: readonly string[]): AdminOperation | undefined =>
  operationsAt(segments).find((operation) => operation.method === method);

/** Encoded documents: generating one takes 50 ms, and its inputs do not change while a compiler runs. */
const documents = new WeakMap<CompilerThread, Uint8Array>();

async function documentOf(compiler: CompilerThread): Promise<ApiResponse> {
  let bytes = documents.get(compiler);
  if (bytes === undefined) {
    bytes = Buffer.from(`${JSON.stringify(adminDocument(await compiler.schemaComponents()))}\n`);
    documents.set(compiler, bytes);
  }
  return { status: 200, body: bytes, type: "application/json" };
}

export const adminDocument = (components: Readonly<Record<string, object>>): object =>
  openApiDocument(OPERATIONS, components);
