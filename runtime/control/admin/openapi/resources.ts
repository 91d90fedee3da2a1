import {
  answered,
  component,
  type DescribedOperation,
  type DescribedParameter,
  type DescribedResponse,
  type DescribedSchema,
  errorResponse,
  inQuery,
  jsonBody,
  listOf,
  objectOf,
  openObject,
} from "../../../process/operation.js";
import type { AdminKind } from "../kinds.js";
import { LIST_PARAMETERS } from "../list.js";
import { NOTE_PARAMETERS } from "../query.js";
import { CONDITIONS, OF, TRIED } from "./common.js";
import { componentsOf } from "./resource-schemas.js";

const TTL = inQuery("ttl", "Seconds until the resource expires. Default: no expiry.", {
  type: "number",
  minimum: 0,
});
const FORCE = inQuery(
  "force",
  "Delete it although other resources refer to it; those return 503 or 404 from then on, and never run without it.",
  { type: "boolean", default: false },
);
const ON_WRITES = [TRIED, OF, TTL, ...NOTE_PARAMETERS, ...CONDITIONS];

const ABSENT = answered("no such resource", component("Absent"));
const REFUSED: Readonly<Record<number, DescribedResponse>> = {
  400: answered(
    "the reason for the rejection, with all diagnostics; nothing has changed",
    component("Refusal"),
  ),
  412: errorResponse("If-Match or If-None-Match does not match"),
  503: answered("the write failed, the store is not writable, or files do not compile", component("Refusal")),
};
/** Fields that are present only on request. */
const ASKED = { effect: component("Effect"), modules: component("DraftedModules") };
const NOT_ALWAYS = ["warnings", "secret", ...Object.keys(ASKED)];
const DELETED = openObject(
  { key: component("Key"), deleted: { const: "1" }, warnings: component("Findings"), ...ASKED },
  NOT_ALWAYS,
);

/** Returns the operations on resources of a kind, as `dispatch.ts` derives them from its fields. */
export function resourceOperations(kind: AdminKind): DescribedOperation[] {
  const described = new Described(kind);
  const { path } = kind;
  const one = `${path}/{${kind.identity}}`;
  return [
    described.list(path),
    ...(kind.identity === "plugin" ? [] : [described.put(path, "ByBody")]),
    ...(kind.post ? [described.post(path)] : []),
    described.read(one),
    described.put(one, ""),
    ...(kind.patch ? [described.patch(one), described.patchField(`${one}/{field}`)] : []),
    described.remove(one),
  ];
}

class Described {
  readonly #kind: AdminKind;
  /** Name such as "CaptchaSiteKey". */
  readonly #name: string;

  constructor(kind: AdminKind) {
    this.#kind = kind;
    this.#name = componentsOf(kind).file.replaceAll(/(?:^|-)(\w)/g, (_all, first: string) =>
      first.toUpperCase(),
    );
  }

  list(path: string): DescribedOperation {
    const { segment, label } = this.#kind;
    const asked = LIST_PARAMETERS.filter(({ of = segment }) => of === segment);
    return {
      ...{ method: "GET", path, name: `list${this.#name}s`, summary: `List: ${label}` },
      parameters: asked.map(({ of: _kind, ...parameter }) => parameter),
      answers: {
        200: answered(
          "resources of files first, then by creation",
          objectOf({
            total: { type: "integer", description: "Number of resources on all pages." },
            list: listOf(this.#shown),
          }),
        ),
        400: { description: "an invalid argument", content: { "text/plain": { type: "string" } } },
      },
    };
  }

  read(path: string): DescribedOperation {
    const found = answered("the resource, secrets masked", this.#shown);
    return {
      ...{ method: "GET", path, name: `read${this.#name}`, summary: `Read: ${this.#kind.label}` },
      parameters: this.#id,
      answers: {
        200: {
          ...found,
          headers: { ETag: "For If-Match: the modifiedIndex. Absent for a resource from a file." },
        },
        404: ABSENT,
      },
    };
  }

  put(path: string, byBody: "ByBody" | ""): DescribedOperation {
    const { identity, label } = this.#kind;
    const how = byBody === "" ? "" : `, named by ${identity} of the body`;
    return {
      ...{ method: "PUT", path, name: `put${this.#name}${byBody}`, summary: `Write: ${label}${how}` },
      parameters: [...(byBody === "" ? this.#id : []), ...ON_WRITES],
      body: this.#body,
      answers: {
        200: answered("changed, and served by every worker", this.#written()),
        201: answered("new, and served by every worker", this.#written(true)),
        ...REFUSED,
      },
    };
  }

  post(path: string): DescribedOperation {
    const summary = `Create, with a generated id: ${this.#kind.label}`;
    return {
      ...{ method: "POST", path, name: `create${this.#name}`, summary },
      parameters: ON_WRITES,
      body: this.#body,
      answers: { 201: answered("new, and served by every worker", this.#written(true)), ...REFUSED },
    };
  }

  patch(path: string): DescribedOperation {
    return {
      ...{ method: "PATCH", path, name: `patch${this.#name}`, summary: `Change: ${this.#kind.label}` },
      parameters: [...this.#id, ...ON_WRITES],
      body: jsonBody(
        "Merged into the resource: lists and values replace existing ones, null removes a field.",
        { type: "object" },
      ),
      answers: {
        200: answered("changed, and served by every worker", this.#written()),
        404: ABSENT,
        ...REFUSED,
      },
    };
  }

  patchField(path: string): DescribedOperation {
    const field: DescribedParameter = {
      in: "path",
      name: "field",
      description: "Name of a field. Further segments name nested fields:  /upstream/nodes.",
      schema: { type: "string" },
    };
    const summary = `Change one field: ${this.#kind.label}`;
    return {
      ...{ method: "PATCH", path, name: `patch${this.#name}Field`, summary },
      parameters: [...this.#id, field, ...ON_WRITES],
      body: jsonBody("New value of the field; null removes it.", {}),
      answers: {
        200: answered("changed, and served by every worker", this.#written()),
        404: ABSENT,
        ...REFUSED,
      },
    };
  }

  remove(path: string): DescribedOperation {
    return {
      ...{ method: "DELETE", path, name: `delete${this.#name}`, summary: `Delete: ${this.#kind.label}` },
      parameters: [...this.#id, TRIED, OF, FORCE, ...NOTE_PARAMETERS, ...CONDITIONS],
      answers: { 200: answered("deleted", DELETED), 404: ABSENT, ...REFUSED },
    };
  }

  get #id(): DescribedParameter[] {
    const { identity, label } = this.#kind;
    const description = identity === "plugin" ? "Name of the plugin." : `The ${identity} of the ${label}.`;
    return [{ in: "path", name: identity, description, schema: { type: "string", minLength: 1 } }];
  }

  get #body(): NonNullable<DescribedOperation["body"]> {
    return jsonBody(`The ${this.#kind.label}.`, component(componentsOf(this.#kind).body));
  }

  get #shown(): DescribedSchema {
    const { value } = componentsOf(this.#kind);
    const index = { type: "integer", description: "Revision of the store; 0 for a resource from a file." };
    return openObject(
      {
        ...{ key: component("Key"), value: component(value), createdIndex: index, modifiedIndex: index },
        static: { type: "string", description: 'Place of a resource from a file: "gateway.yaml:10:5".' },
      },
      ["static"],
    );
  }

  #written(isNew = false): DescribedSchema {
    const { value } = componentsOf(this.#kind);
    const secret = { type: "string", description: "Generated by the gateway, and shown only once." };
    return openObject(
      {
        ...{ key: component("Key"), value: component(value), warnings: component("Findings"), ...ASKED },
        ...(isNew && this.#kind.issue !== undefined && { secret }),
      },
      NOT_ALWAYS,
    );
  }
}
