import "../../../plugins/index.js";
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { schemaComponents } from "../../../compiler/2-validate/published.js";
import { kinds } from "../../../compiler/model/resource.js";
import { plugins } from "../../../compiler/plugin/registry.js";
import { adminKinds } from "../../../runtime/control/admin/kinds.js";
import { adminDocument, OPERATIONS, operationsAt } from "../../../runtime/control/admin/operations.js";
import { OpenApi, type OpenApiDocument } from "../../support/openapi.js";
import { ANSWERS_FILE, adminAnswers } from "../../tools/generate-admin-answers.js";

const document = adminDocument(schemaComponents()) as OpenApiDocument;
const api = new OpenApi(document);

/** Requirements of OpenAPI 3.1.0 section 4.8, as far as this document uses it, with no other fields. */
const text = { type: "string", minLength: 1 };
const closed = (properties: object, required: string[] = []) => ({
  ...{ type: "object", properties, required, additionalProperties: false },
});
const mapOf = (schema: object, names = "^") => ({
  ...{ type: "object", patternProperties: { [names]: schema }, additionalProperties: false },
});
const at = (name: string) => ({ $ref: `#/$defs/${name}` });
const FIXED = "^[a-zA-Z0-9._-]+$";
const OPENAPI = {
  ...closed(
    {
      openapi: { const: "3.1.0" },
      info: closed(
        {
          ...{ title: text, version: text, description: text },
          license: closed({ name: text, identifier: text }, ["name"]),
        },
        ["title", "version"],
      ),
      jsonSchemaDialect: { const: "https://json-schema.org/draft/2020-12/schema" },
      servers: { type: "array", items: closed({ url: text, description: text }, ["url"]) },
      security: { type: "array", items: mapOf({ type: "array", items: text }) },
      tags: { type: "array", uniqueItems: true, items: closed({ name: text, description: text }, ["name"]) },
      paths: mapOf(mapOf(at("operation"), "^(?:get|put|post|patch|delete)$"), "^/"),
      components: closed({
        schemas: mapOf({ type: "object" }, FIXED),
        responses: mapOf(at("response"), FIXED),
        securitySchemes: mapOf(
          closed({ type: { const: "apiKey" }, in: { const: "header" }, name: text, description: text }, [
            ...["type", "in", "name"],
          ]),
          FIXED,
        ),
      }),
    },
    ["openapi", "info", "paths"],
  ),
  $defs: {
    operation: closed(
      {
        ...{ operationId: text, summary: text, description: text },
        tags: { type: "array", items: text },
        parameters: { type: "array", items: at("parameter") },
        requestBody: closed({ description: text, required: { type: "boolean" }, content: at("content") }, [
          "content",
        ]),
        responses: {
          ...mapOf({ anyOf: [closed({ $ref: text }, ["$ref"]), at("response")] }, "^[1-5]\\d\\d$"),
          minProperties: 1,
        },
      },
      ["operationId", "responses"],
    ),
    parameter: {
      ...closed(
        {
          ...{ name: text, description: text, schema: { type: "object" }, required: { type: "boolean" } },
          in: { enum: ["path", "query", "header"] },
        },
        ["name", "in", "schema"],
      ),
      if: { properties: { in: { const: "path" } } },
      // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema.
      then: { required: ["required"], properties: { required: { const: true } } },
    },
    response: closed(
      {
        ...{ description: text, content: at("content") },
        headers: mapOf(closed({ description: text, schema: { type: "object" } })),
      },
      ["description"],
    ),
    content: mapOf(closed({ schema: { type: "object" } }, ["schema"]), "^\\w+/[\\w.+-]+$"),
  },
};

describe("the OpenAPI document of the admin API", () => {
  it("the OpenAPI document has the structure of OpenAPI 3.1", () => {
    const validate = new Ajv2020({ strict: false, allErrors: true }).compile(OPENAPI);
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
  });

  it("the OpenAPI document has schemas of JSON Schema 2020-12 that compile in strict mode", () => {
    const { schemas } = document.components;
    const faults = Object.keys(schemas).flatMap((name) => {
      try {
        api.faults({ $ref: `#/components/schemas/${name}` }, null);
        return [];
      } catch (error) {
        return [`${name}: ${String(error)}`];
      }
    });
    expect(faults).toEqual([]);
    const words = JSON.stringify(document).matchAll(/"(x-[a-z-]+|definitions|dependencies)":/g);
    expect([...words].map(([, word]) => word)).toEqual([]);
  });

  it("the OpenAPI document refers to each of its components", () => {
    const written = JSON.stringify(document);
    const { schemas, responses } = document.components;
    const names = [
      ...Object.keys(schemas).map((name) => `schemas/${name}`),
      ...Object.keys(responses).map((name) => `responses/${name}`),
    ];
    expect(names.filter((name) => !written.includes(`"#/components/${name}"`))).toEqual([]);
  });

  it("the OpenAPI document names each operation once and declares each path parameter", () => {
    const names = api.operations.map(({ operationId }) => operationId);
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
    const wrong = api.operations.filter(({ path, parameters = [] }) => {
      const inPath = parameters.filter((one) => one.in === "path").map(({ name }) => name);
      const held = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      return inPath.toSorted().join() !== held.toSorted().join();
    });
    expect(wrong).toEqual([]);
  });

  it("the OpenAPI document has every kind of resource, and every plugin in the schema of a route", () => {
    expect(
      adminKinds()
        .map(({ segment }) => segment)
        .sort(),
    ).toEqual([...kinds()].sort());
    for (const { path } of adminKinds()) expect(document.paths).toHaveProperty([`/gw/admin/${path}`]);
    const { properties } = document.components.schemas["parts.plugins"] ?? {};
    expect(Object.keys(properties as object).sort()).toEqual(
      plugins()
        .map(({ name }) => name)
        .sort(),
    );
  });

  it("the path of each operation leads to that operation", () => {
    for (const { path, method } of OPERATIONS) {
      const segments = path
        .replace("{kind}", "captcha/site-keys")
        .replaceAll(/\{\w+\}/g, "x")
        .split("/");
      const found = operationsAt(segments).map((one) => `${one.method} ${one.path}`);
      expect(found).toContain(`${method} ${path}`);
    }
  });
});

describe("bodies of writes in the OpenAPI document", () => {
  const route = { uri: "/x", upstream: { nodes: { "127.0.0.1:9": 1 } } };
  const fits = (name: string, value: object) =>
    api.faults({ $ref: `#/components/schemas/${name}` }, value).length === 0;

  it.each<[string, string, object, boolean]>([
    ["a route", "route.body", route, true],
    ["a time, which only the gateway sets", "route.body", { ...route, create_time: 1 }, false],
    [
      "a time within its upstream",
      "route.body",
      { ...route, upstream: { ...route.upstream, update_time: 1 } },
      false,
    ],
    ["a time in an answer", "route.value", { ...route, create_time: 1 }, true],
    ["a field that nobody knows", "route.body", { ...route, colour: "red" }, false],
    ["settings that are none", "route.body", { ...route, plugins: { syslog: { port: "x" } } }, false],
    ["an API key without its text", "captcha-api-key.body", { customer: "shop" }, true],
    ["an API key with a text", "captcha-api-key.body", { customer: "shop", key: "spk_x" }, false],
    ["a certificate without its key", "ssl.value", { cert: "x".repeat(200), sni: "a.b" }, false],
  ])(
    "the OpenAPI document accepts or rejects a body as the gateway does: %s",
    (_what, name, value, fitting) => {
      expect(fits(name, value)).toBe(fitting);
    },
  );
});

describe("answers.gen.ts of the dashboard", () => {
  it("the dashboard's answers.gen.ts is the output of npm run types", async () => {
    expect(readFileSync(ANSWERS_FILE, "utf8")).toBe(await adminAnswers());
  });
});
