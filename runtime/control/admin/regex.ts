import type { CompilerThread } from "../../../compiler/thread/compiler-client.js";
import {
  answered,
  component,
  jsonBody,
  objectOf,
  orNull,
  TEXT,
  WHOLE_NUMBER,
} from "../../process/operation.js";
import { type ApiResponse, failure, json, refusal } from "./answer.js";
import { type AdminOperation, compiled } from "./operation.js";

/** Maximum body size: 64 kB of text, each character as an escape of six, and the filter. */
const MAX_BYTES = 524_288;

const MATCH = objectOf({
  ...{ from: WHOLE_NUMBER, to: WHOLE_NUMBER, byte_from: WHOLE_NUMBER, byte_to: WHOLE_NUMBER },
  captures: { type: "array", items: { type: ["string", "null"] } },
});

const TRIED = objectOf({
  accepted: { type: "boolean", description: "True: a write with this filter would be accepted." },
  findings: {
    description: 'Diagnostics of the compiler; a place is a column of "pattern", "options" or "replace".',
    ...{ type: "array", items: component("Finding") },
  },
  translation: orNull(objectOf({ source: TEXT, flags: TEXT, groups: WHOLE_NUMBER })),
  engine: { enum: ["backtracking", "linear", "re2", null] },
  linear: orNull(objectOf({ source: TEXT, above_bytes: WHOLE_NUMBER })),
  cost: orNull(
    objectOf({
      class: { enum: ["linear", "bounded", "slow", "refused"] },
      ms: { type: ["number", "null"] },
      text: TEXT,
    }),
  ),
  body: orNull(objectOf({ mode: { enum: ["stream", "hold"] }, reason: TEXT, at_once: WHOLE_NUMBER })),
  result: orNull(
    objectOf({
      matches: { type: "array", items: MATCH },
      ...{ more: WHOLE_NUMBER, replaced: TEXT, replaced_bytes: WHOLE_NUMBER, utf8: { type: "boolean" } },
    }),
  ),
  unfinished: { type: ["string", "null"], description: "Reason why an accepted pattern has no result." },
});

/** Serves `POST /gw/admin/regex`: runs a filter over a given body. A gwc extension. */
export const REGEX: AdminOperation = {
  method: "POST",
  path: "regex",
  name: "tryRegex",
  summary: "Test the pattern of a filter: its translation, its cost, and its effect on a text",
  description: "Changes nothing: a viewer key suffices.",
  onlyAsks: true,
  mostBytes: MAX_BYTES,
  body: jsonBody("The filter, and the text.", component("regex-trial")),
  answers: {
    200: answered("the result of the compiler, also for a rejected pattern", TRIED),
    400: answered("invalid request body", component("Refusal")),
  },
  answer: (parts, { bodyText }) => compiled(parts, (compiler) => tried(compiler, bodyText)),
};

async function tried(compiler: CompilerThread, bodyText: string): Promise<ApiResponse> {
  if (bodyText.trim() === "") return failure(400, "invalid request body: empty request body");
  const outcome = await compiler.testRegex(bodyText);
  if ("errorMessage" in outcome) return refusal(400, outcome.errorMessage, outcome.diagnostics);
  if ("fault" in outcome) return failure(503, `the pattern cannot be tested: ${outcome.fault}`);
  return json(200, outcome);
}
