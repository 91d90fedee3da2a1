import {
  answered,
  component,
  type DescribedOperation,
  type DescribedParameter,
  type DescribedResponse,
  type DescribedSchema,
  errorResponse,
  inQuery,
  objectOf,
  openObject,
  TEXT,
  WHOLE_NUMBER,
} from "../../../process/operation.js";
import { EFFECT_SHAPES } from "../effect.js";

export const DRY_RUN = inQuery(
  "dry_run",
  "Dry run: compile everything, ask every worker and respond as the write would, without a change.",
  { type: "boolean", default: false },
);

/** The same for writes of resources, with the values that return more detail. */
export const TRIED: DescribedParameter = {
  ...DRY_RUN,
  description: `${DRY_RUN.description} effect: also report what would change for traffic; module: what would change in generated modules.`,
  schema: { enum: [true, false, "effect", "module"], default: false },
};

export const OF = inQuery(
  "of",
  'With dry_run=module: resource whose module is returned, "routes/orders". Default: the first one that changes.',
  TEXT,
);

const IF_MATCH: DescribedParameter = {
  in: "header",
  name: "If-Match",
  description:
    'Write only over this version, "<modifiedIndex>" in quotes; *: only over an existing resource.',
  schema: { type: "string", examples: ['"42"', "*"] },
};
const IF_NONE_MATCH: DescribedParameter = {
  in: "header",
  name: "If-None-Match",
  description: "*: write only a new resource.",
  schema: { type: "string", examples: ["*"] },
};
export const CONDITIONS: readonly DescribedParameter[] = [IF_MATCH, IF_NONE_MATCH];

const PATH: DescribedSchema = {
  description: "Keys and indices of the diagnostic, from the root of the text.",
  ...{ type: "array", items: { type: ["string", "integer"] } },
};

export const SHAPES: Readonly<Record<string, DescribedSchema>> = {
  Key: { type: "string", description: 'Path of a resource: "/gw/routes/1".', pattern: "^/gw/" },
  Error: openObject(
    { error_msg: TEXT, req_body: { ...TEXT, description: "Request body that is not JSON." } },
    ["req_body"],
  ),
  Denied: objectOf({
    error_msg: TEXT,
    description: { ...TEXT, description: "Reason for the rejection of the key." },
  }),
  Absent: objectOf({ message: TEXT }),
  Refusal: openObject({ error_msg: TEXT, diagnostics: component("Findings"), req_body: TEXT }, [
    "diagnostics",
    "req_body",
  ]),
  Warned: objectOf({ warnings: component("Findings") }),
  Findings: { type: "array", minItems: 1, items: component("Finding") },
  Finding: openObject(
    {
      code: { type: "string", description: "`gwc explain CODE` explains it.", examples: ["GW2107"] },
      severity: { enum: ["error", "warning", "note"] },
      message: TEXT,
      span: component("Span"),
      notes: { type: "array", items: openObject({ message: TEXT, span: component("Span") }, ["span"]) },
      help: { type: "string", description: "How to fix it." },
      fix: component("Fix"),
    },
    ["span", "help", "fix"],
  ),
  ...EFFECT_SHAPES,
  Fix: {
    description: "The change that fixes it, if it is unambiguous.",
    anyOf: [
      objectOf({
        op: { const: "rename" },
        path: PATH,
        to: { ...TEXT, description: "Alternative name of the field." },
      }),
      objectOf({ op: { enum: ["replace", "add"] }, path: PATH, value: {} }),
      objectOf({ op: { const: "remove" }, path: PATH }),
    ],
  },
  Span: objectOf({
    file: {
      type: "string",
      description: 'Path of a configuration file, or "PUT /gw/admin/routes/1" for a body.',
    },
    start: component("Position"),
    end: component("Position"),
  }),
  Position: objectOf({ line: WHOLE_NUMBER, column: WHOLE_NUMBER }, "Both from 1."),
  ConfigurationErrors: openObject(
    {
      error_msg: TEXT,
      errors: {
        type: "array",
        items: openObject(
          {
            resource_type: TEXT,
            resource_id: TEXT,
            index: { type: "integer", description: "From 0, in the list of its kind." },
            error: TEXT,
          },
          ["resource_id", "index"],
        ),
      },
      diagnostics: component("Findings"),
    },
    ["diagnostics"],
  ),
};

const HTML = { "text/html": TEXT };
const JSON_OR_PAGE = { "application/json": component("Error"), ...HTML };

/** Responses of every operation besides its own, by component; no description repeats the status. */
export const COMMON_ANSWERS: Readonly<Record<string, { status: number } & DescribedResponse>> = {
  BadRequest: {
    status: 400,
    description: "an invalid argument or body; an HTML page for a path that cannot be decoded",
    content: JSON_OR_PAGE,
  },
  Denied: {
    status: 401,
    ...answered("no key, a wrong key, or a viewer key for a write", component("Denied")),
  },
  Forbidden: {
    status: 403,
    description:
      "an HTML page: the address is not in allow_admin; an error: no key is required, and Host is not a name of this listener",
    content: JSON_OR_PAGE,
  },
  UnsupportedType: {
    status: 415,
    ...errorResponse("no key is required, and Content-Type is neither JSON nor YAML"),
  },
  Failed: { status: 500, ...errorResponse("an internal error of the gateway; see its log") },
  Unavailable: {
    status: 503,
    ...errorResponse(
      "the store is not usable, the last known good generation runs, or the compiler is not installed",
    ),
  },
};

/** Leaves out 415 for methods without a body. */
export const commonAnswers = ({ method }: DescribedOperation) =>
  Object.entries(COMMON_ANSWERS).filter(
    ([, { status }]) => status !== 415 || ["PUT", "POST", "PATCH"].includes(method),
  );
