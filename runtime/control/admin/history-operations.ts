import {
  answered,
  component,
  type DescribedParameter,
  type DescribedResponse,
  type DescribedSchema,
  errorResponse,
  inQuery,
  listOf,
  objectOf,
  openObject,
  TEXT,
  WHOLE_NUMBER,
} from "../../process/operation.js";
import { ORIGINS } from "../history/history.js";
import { failure } from "./answer.js";
import { DEFAULT_LIMIT, LARGEST_LIMIT, listHistory, oneChange, VERSIONS } from "./history.js";
import { CONDITIONS, DRY_RUN } from "./openapi/common.js";
import type { AdminOperation, DispatchParts } from "./operation.js";
import { NOTE_PARAMETERS, noteOf, originOf } from "./query.js";
import { revert } from "./revert.js";

const BOOLEAN = /^(?:true|false)$/;
const NUMBER: DescribedSchema = {
  type: "integer",
  minimum: 1,
  description: "Number of a change: its modifiedIndex.",
};
const COUNT: DescribedSchema = { type: "integer", minimum: 0 };
const text = (description: string): DescribedSchema => ({ type: "string", description });
const orNull = (description: string): DescribedSchema => ({ type: ["string", "null"], description });

export const HISTORY_SHAPES: Readonly<Record<string, DescribedSchema>> = {
  Change: openObject(
    {
      number: NUMBER,
      time: text("ISO 8601."),
      key: orNull(
        "Name of the key; null: no key was required, or the gateway made the change, such as one of files.",
      ),
      address: orNull("Address of the peer; null: the gateway itself."),
      note: orNull("Note of the change."),
      method: { enum: ["PUT", "POST", "PATCH", "DELETE", "EXPIRE", "ADOPT", "RELOAD"] },
      origin: { enum: ORIGINS, description: "Changed side: configuration files, or the store." },
      place: text('Place of a resource of files, "gateway.yaml:10:5"; of a removed one, its last place.'),
      reload: objectOf(
        { made: COUNT, changed: COUNT, deleted: COUNT, kept: COUNT },
        "All resources of files that the reload changed; kept: the number with an entry.",
      ),
      kind: text('As in paths: "routes".'),
      id: { type: "string" },
      resource: component("Key"),
      did: { enum: ["made", "changed", "deleted"], description: "Effect on the resource." },
      changed: { type: "array", items: { type: "string" }, description: "Paths of the fields that differ." },
      reverts: { ...NUMBER, description: "The change that this one reverts." },
    },
    ["place", "reload", "reverts"],
  ),
};

const VERSION: DescribedSchema = {
  type: ["object", "null"],
  description: "The resource, secrets masked; null: none.",
};
const NUMBERED: DescribedParameter = {
  ...{ in: "path", name: "number", description: "Number of the change." },
  schema: { type: "integer", minimum: 1 },
};
const ABSENT = answered("no such change, or it is no longer stored", component("Absent"));
const FIELDS: DescribedSchema = {
  ...listOf(
    objectOf({
      field: text('Path of the field, "plugins.syslog.port"; "": the whole resource.'),
      before: { description: "Value before the change; null: none." },
      after: { description: "Value after the change; null: none." },
      now: { description: "Value now; null: none." },
    }),
  ),
  description: "Fields that a later change has set to other values; secrets masked.",
};
const CONFLICT: DescribedResponse = answered(
  "a later change has the same fields, and over is not set; or nothing is left to revert",
  objectOf({
    error_msg: TEXT,
    after: { ...VERSION, description: "Version after the change." },
    current: { ...VERSION, description: "Current version." },
    conflicts: FIELDS,
  }),
);

const WHOLE_CHANGE: DescribedSchema = {
  allOf: [component("Change")],
  ...objectOf({
    before: VERSION,
    after: VERSION,
    current: { type: "boolean", description: "True: no later change." },
    now: { ...VERSION, description: "Current version, as a read of the resource returns it." },
    taken_back: { ...VERSION, description: "Result of the revert: later changes of other fields stay." },
    conflicts: FIELDS,
  }),
};

const RESTORED = { key: component("Key"), value: { type: "object" } };
const ONE_VERSION = objectOf({
  ...{ key: component("Key"), value: VERSION, createdIndex: WHOLE_NUMBER, modifiedIndex: WHOLE_NUMBER },
});

/** Operations of `/history`: changes by the admin API and by reloads. A gwc extension. */
export const HISTORY_OPERATIONS: readonly AdminOperation[] = [
  {
    method: "GET",
    path: "history",
    name: "listChanges",
    summary: "Changes of resources, newest first",
    parameters: [
      inQuery("limit", "Page size.", {
        type: "integer",
        minimum: 1,
        maximum: LARGEST_LIMIT,
        default: DEFAULT_LIMIT,
      }),
      inQuery("before", "Only changes before this one.", { type: "integer", minimum: 1 }),
      inQuery("origin", "Only changes of files, or of the store.", { enum: ORIGINS }),
      inQuery("kind", "Only changes of this kind, as in paths.", { type: "string" }),
      inQuery("id", "Only changes of resources with this id.", { type: "string" }),
      inQuery(
        "search",
        "Only changes with all of these words in resource, place, key, address, note or changed fields.",
        {
          type: "string",
        },
      ),
    ],
    answers: {
      200: answered(
        "a page of changes",
        objectOf({
          list: listOf(component("Change")),
          more: {
            type: "boolean",
            description: "True: older changes exist; list them with before= the last number.",
          },
          kept: objectOf({ entries: WHOLE_NUMBER, bytes: WHOLE_NUMBER }),
        }),
      ),
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
      inQuery("version", "Only that version, as a read of the resource returns it; 404: none.", {
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
    summary: "Revert a change of a resource",
    parameters: [
      NUMBERED,
      DRY_RUN,
      inQuery("over", "Revert even if later changes have the same fields.", {
        type: "boolean",
        default: false,
      }),
      inQuery("force", "Delete it although other resources refer to it, as DELETE does.", {
        type: "boolean",
        default: false,
      }),
      ...CONDITIONS,
      ...NOTE_PARAMETERS,
    ],
    answers: {
      200: answered(
        "reverted, and served by every worker",
        openObject({ ...RESTORED, deleted: { const: "1" }, warnings: component("Findings") }, [
          ...["value", "deleted", "warnings"],
        ]),
      ),
      201: answered(
        "restored, and served by every worker",
        openObject({ ...RESTORED, warnings: component("Findings") }, ["warnings"]),
      ),
      400: answered("the reason for the rejection; or it is a change of files", component("Refusal")),
      404: answered("no such change, or the resource no longer exists", {
        anyOf: [component("Absent"), component("Error")],
      }),
      409: CONFLICT,
      412: errorResponse("If-Match or If-None-Match does not match"),
      503: errorResponse("the store is not writable, or the last known good generation runs"),
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
