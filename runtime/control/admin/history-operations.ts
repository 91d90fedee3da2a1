import {
  answered,
  component,
  type DescribedParameter,
  type DescribedResponse,
  type DescribedSchema,
  errorResponse,
} from "../../process/operation.js";
import { ORIGINS } from "../history/history.js";
import { failure } from "./answer.js";
import { NOTE_PARAMETERS, noteOf, originOf } from "./change-origin.js";
import { DEFAULT_LIMIT, LARGEST_LIMIT, listHistory, oneChange, VERSIONS } from "./history.js";
import { CONDITIONS, DRY_RUN } from "./openapi/common.js";
import type { AdminOperation, DispatchParts } from "./operation.js";
import { revert } from "./revert.js";

const BOOLEAN = /^(?:true|false)$/;
const NUMBER: DescribedSchema = {
  type: "integer",
  minimum: 1,
  description: "Number of a change: the modifiedIndex that it made.",
};
const COUNT: DescribedSchema = { type: "integer", minimum: 0 };
const text = (description: string): DescribedSchema => ({ type: "string", description });
const orNull = (description: string): DescribedSchema => ({ type: ["string", "null"], description });

/** Schemas of the responses, by component. */
export const HISTORY_SHAPES: Readonly<Record<string, DescribedSchema>> = {
  Change: {
    type: "object",
    properties: {
      number: NUMBER,
      time: text("ISO 8601."),
      key: orNull(
        "Name of the key; null: none was needed, or the gateway did it itself, as with changes of files.",
      ),
      address: orNull("Address of the peer; null: the gateway itself."),
      note: orNull("Why, as said with the change."),
      method: { enum: ["PUT", "POST", "PATCH", "DELETE", "EXPIRE", "ADOPT", "RELOAD"] },
      origin: { enum: ORIGINS, description: "Changed side: configuration files, or the store." },
      place: text('Place of a resource of files, "gateway.yaml:10:5"; of one that is gone, where it stood.'),
      reload: {
        type: "object",
        description: "Resources of files that the reload concerned in all; kept: those that have an entry.",
        properties: { made: COUNT, changed: COUNT, deleted: COUNT, kept: COUNT },
        required: ["made", "changed", "deleted", "kept"],
      },
      kind: text('As paths have it: "routes".'),
      id: { type: "string" },
      resource: component("Key"),
      did: { enum: ["made", "changed", "deleted"], description: "Effect on the resource." },
      changed: { type: "array", items: { type: "string" }, description: "Paths of the fields that differ." },
      reverts: { ...NUMBER, description: "The change that this one takes back." },
    },
    required: [
      ...[
        "number",
        "time",
        "key",
        "address",
        "note",
        "method",
        "origin",
        "kind",
        "id",
        "resource",
        "did",
        "changed",
      ],
    ],
  },
};

const VERSION: DescribedSchema = {
  type: ["object", "null"],
  description: "The resource, secrets masked; null where there is none.",
};
const query = (name: string, description: string, schema: DescribedSchema): DescribedParameter => ({
  ...{ in: "query", name, description, schema },
});
const NUMBERED: DescribedParameter = {
  ...{
    in: "path",
    name: "number",
    description: "Number of the change.",
    schema: { type: "integer", minimum: 1 },
  },
};
const ABSENT = answered("there is no such change, or none is kept any more", component("Absent"));
const FIELDS: DescribedSchema = {
  type: "array",
  items: {
    type: "object",
    properties: {
      field: text('Path of the field, "plugins.syslog.port"; "": the whole resource.'),
      before: { description: "Value before the change; null: none." },
      after: { description: "Value after the change; null: none." },
      now: { description: "Value now; null: none." },
    },
    required: ["field", "before", "after", "now"],
  },
  description: "Fields that the change and a later one have changed, each in its own way; secrets masked.",
};
const CONFLICT: DescribedResponse = answered(
  "a later change has the same fields, and over is not set; or nothing of the change is left",
  {
    type: "object",
    properties: {
      error_msg: { type: "string" },
      after: { ...VERSION, description: "Version that the change made." },
      current: { ...VERSION, description: "Version now." },
      conflicts: FIELDS,
    },
    required: ["error_msg", "after", "current", "conflicts"],
  },
);

const WHOLE_CHANGE: DescribedSchema = {
  allOf: [component("Change")],
  type: "object",
  properties: {
    before: VERSION,
    after: VERSION,
    current: { type: "boolean", description: "Nothing has changed since." },
    now: { ...VERSION, description: "Version now, as a read of the resource shows it." },
    taken_back: {
      ...VERSION,
      description: "Result of taking the change back: later changes of other fields stay.",
    },
    conflicts: FIELDS,
  },
  required: ["before", "after", "current", "now", "taken_back", "conflicts"],
};

const ONE_VERSION: DescribedSchema = {
  type: "object",
  properties: {
    key: component("Key"),
    value: VERSION,
    createdIndex: { type: "integer" },
    modifiedIndex: { type: "integer" },
  },
  required: ["key", "value", "createdIndex", "modifiedIndex"],
};

/** Operations of `/history`: changes by the admin API and by reloads. A gwc extension. */
export const HISTORY_OPERATIONS: readonly AdminOperation[] = [
  {
    method: "GET",
    path: "history",
    name: "listChanges",
    summary: "Changes of resources, newest first",
    parameters: [
      query("limit", "How many.", {
        type: "integer",
        minimum: 1,
        maximum: LARGEST_LIMIT,
        default: DEFAULT_LIMIT,
      }),
      query("before", "Only those before this change.", { type: "integer", minimum: 1 }),
      query("origin", "Only those of files, or of the store.", { enum: ORIGINS }),
      query("kind", "Only those of this kind, as paths have it.", { type: "string" }),
      query("id", "Only those of resources with this id.", { type: "string" }),
      query(
        "search",
        "Only those that have each of these words in resource, place, key, address, note or changed fields.",
        {
          type: "string",
        },
      ),
    ],
    answers: {
      200: answered("a page of them", {
        type: "object",
        properties: {
          list: { type: "array", items: component("Change") },
          more: {
            type: "boolean",
            description: "There are older ones, which before= the last number lists.",
          },
          kept: {
            type: "object",
            properties: { entries: { type: "integer" }, bytes: { type: "integer" } },
            required: ["entries", "bytes"],
          },
        },
        required: ["list", "more", "kept"],
      }),
    },
    answer: (parts, request) => readable(parts) ?? listHistory(parts, request.query),
  },
  {
    method: "GET",
    path: "history/{number}",
    name: "readChange",
    summary: "One change, with the resource before and after",
    parameters: [
      NUMBERED,
      query("version", "That version alone, as a read of the resource shows it; 404 where there was none.", {
        enum: VERSIONS,
      }),
    ],
    answers: {
      200: answered("the change, or one version", { anyOf: [WHOLE_CHANGE, ONE_VERSION] }),
      404: ABSENT,
    },
    answer: (parts, { query: asked }, [number = ""]) => readable(parts) ?? oneChange(parts, number, asked),
  },
  {
    method: "POST",
    path: "history/{number}/revert",
    name: "revertChange",
    summary: "Make a resource what it was before a change",
    parameters: [
      NUMBERED,
      DRY_RUN,
      query("over", "Do it also where later changes have the same fields.", {
        type: "boolean",
        default: false,
      }),
      query("force", "Delete it although others name it, as DELETE does.", {
        type: "boolean",
        default: false,
      }),
      ...CONDITIONS,
      ...NOTE_PARAMETERS,
    ],
    answers: {
      200: answered("it is as it was, and served by every worker", {
        type: "object",
        properties: {
          ...{ key: component("Key"), value: { type: "object" }, deleted: { const: "1" } },
          warnings: component("Findings"),
        },
        required: ["key"],
      }),
      201: answered("it is there again, and served by every worker", {
        type: "object",
        properties: { key: component("Key"), value: { type: "object" }, warnings: component("Findings") },
        required: ["key", "value"],
      }),
      400: answered("why the configuration refuses it; or it is a change of files", component("Refusal")),
      404: answered("there is no such change, or the resource is gone already", {
        anyOf: [component("Absent"), component("Error")],
      }),
      409: CONFLICT,
      412: errorResponse("If-Match or If-None-Match does not hold"),
      503: errorResponse("the store cannot be written, or the last known good generation runs"),
    },
    answer(parts, request, [number = ""]) {
      const refusal = parts.unreadable ?? parts.readOnly();
      if (refusal !== undefined) return failure(503, refusal);
      const read = noteOf(request.query, request.note);
      if ("fault" in read) return failure(400, read.fault);
      const odd = ["force", "over"].find((name) => !BOOLEAN.test(request.query.get(name) ?? "true"));
      if (odd !== undefined) return failure(400, `invalid argument ${odd}: should be true or false`);
      const is = (name: string) => request.query.get(name) === "true";
      const origin = originOf(request, read.note);
      const { condition } = request;
      return revert(parts, number, {
        ...{ origin, condition, over: is("over"), force: is("force"), dryRun: is("dry_run") },
      });
    },
  },
];

const readable = ({ unreadable }: DispatchParts) =>
  unreadable === undefined ? undefined : failure(503, unreadable);
