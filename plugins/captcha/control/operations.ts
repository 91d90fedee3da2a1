import {
  answered,
  type DescribedOperation,
  type DescribedSchema,
  errorResponse,
  inQuery,
  listOf,
  objectOf,
  TEXT,
  TEXTS,
  TRUE_OR_FALSE,
} from "../../../runtime/process/contribution-api.js";
import { DENIALS } from "./access.js";

const COUNT: DescribedSchema = { type: "integer", minimum: 0 };
const STATISTICS = objectOf(
  {
    ...{ issued: COUNT, solved: COUNT, challenged: COUNT, failed: COUNT, refused: COUNT, verified: COUNT },
    rejected: {
      type: "object",
      description: "Failed verifications, by reason.",
      additionalProperties: COUNT,
    },
    time_to_solve_ms: {
      description: "Time from the tick to a token that required a task; null: no such token yet.",
      type: ["object", "null"],
      properties: { median: { type: "number" }, p90: { type: "number" } },
      required: ["median", "p90"],
    },
  },
  "Counts since the start of the captcha process.",
);

const ATTACK = objectOf({
  level: { type: "integer", minimum: 1, maximum: 3 },
  since: { type: "string", description: "RFC 3339." },
});

const AWAY = errorResponse("the captcha does not reply");
const ABSENT = errorResponse("no captcha is configured");

const KEY_TEXT: DescribedSchema = { ...TEXT, minLength: 1, maxLength: 256 };

const ACCESS: DescribedOperation = {
  method: "POST",
  path: "access",
  name: "tryCaptchaAccess",
  summary: "Test if this captcha accepts a site key and an API key",
  description: "A dry run that requires an admin key, because it reveals whether an API key works.",
  body: {
    description: "Both as in the settings of the plugin captcha; variables are resolved.",
    content: {
      "application/json": objectOf({ site_key: KEY_TEXT, api_key: KEY_TEXT }),
    },
    required: true,
  },
  answers: {
    200: answered(
      "success, or all reasons for the failure",
      objectOf({ works: TRUE_OR_FALSE, reasons: listOf({ enum: [...DENIALS] }) }),
    ),
    400: errorResponse("invalid request body"),
    404: ABSENT,
  },
};

/** Below `captcha/`, next to the resources. */
export const OPERATIONS: readonly DescribedOperation[] = [
  {
    method: "GET",
    path: "stats",
    name: "readCaptchaStatistics",
    summary: "Counts of the captcha",
    parameters: [
      inQuery("format", "Default: html if the Accept header allows it, else json.", {
        enum: ["json", "html"],
      }),
    ],
    answers: {
      200: {
        description: "counts of all site keys together and of each one",
        content: {
          "application/json": {
            type: "object",
            properties: {
              since: { type: "string", description: "Start of the counts (RFC 3339)." },
              url: { type: "string" },
              total: STATISTICS,
              site_keys: { type: "object", additionalProperties: STATISTICS },
              under_attack: {
                type: "object",
                description: "Site keys with a raised price because of an attack.",
                additionalProperties: ATTACK,
              },
              restart_needed: {
                ...TEXTS,
                description: "Changed settings that take effect after a restart of the gateway.",
              },
            },
            required: ["since", "total", "site_keys", "under_attack", "restart_needed"],
          },
          "text/html": { type: "string" },
        },
      },
      404: ABSENT,
      503: AWAY,
    },
  },
  {
    method: "GET",
    path: "decisions/{request_id}",
    name: "readCaptchaDecision",
    summary: "Decision of the captcha on one request, and its reason",
    parameters: [
      {
        in: "path",
        name: "request_id",
        description: "The request_id of the token, or of a log record.",
        schema: { type: "string", pattern: "^[A-Za-z0-9_-]{1,64}$" },
      },
    ],
    answers: {
      200: answered("the decision, with score and reasons", { type: "object" }),
      404: {
        description: "the decision is unknown or no longer stored, or no captcha is configured",
        content: {
          "application/json": {
            anyOf: [{ $ref: "#/components/schemas/Absent" }, { $ref: "#/components/schemas/Error" }],
          },
        },
      },
      503: AWAY,
    },
  },
  ACCESS,
  {
    method: "POST",
    path: "signing-keys",
    name: "rotateCaptchaSigningKey",
    summary: "Sign tokens with a new key from now on",
    answers: {
      201: answered(
        "the new key; tokens of the previous key stay valid until they expire",
        objectOf({ kid: { type: "string", description: "Id of the key." } }),
      ),
      404: ABSENT,
      503: AWAY,
    },
  },
];
