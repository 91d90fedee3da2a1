// A second plugin with its own kinds of resources, like the captcha; gwc itself knows neither.
import "../../../plugins/index.js";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canonicalPlan } from "../../../compiler/4-plan/fingerprint.js";
import { compile } from "../../../compiler/index.js";
import type { Span } from "../../../compiler/model/diagnostic.js";
import type { Change } from "../../../compiler/model/input.js";
import { pluginDiagnostic } from "../../../compiler/plugin/package.js";
import { registerPlugin } from "../../../compiler/plugin/registry.js";
import type { SchemaNode } from "../../../schema/schemas.js";
import { newCompilation } from "../../support/compilation.js";

const ID: SchemaNode = { $ref: "gwc:/parts/id.json" };
const object = (title: string, properties: Record<string, SchemaNode>): SchemaNode => ({
  title,
  ...{ description: `${title}.`, type: "object", properties, additionalProperties: false },
});
const list = (file: string): SchemaNode => ({ type: "array", items: { $ref: file } });
const FILES: Readonly<Record<string, SchemaNode>> = {
  "schema.json": object("Library", {}),
  "configuration.json": object("LibraryConfiguration", {
    library: { $ref: "library.json" },
    library_shelves: list("library-shelf.json"),
    library_books: list("library-book.json"),
  }),
  "library.json": object("LibrarySection", { town: { type: "string" } }),
  "library-shelf.json": object("LibraryShelf", { id: ID }),
  "library-book.json": object("LibraryBook", {
    ...{ id: ID, shelf: ID, isbn: { type: "string", format: "isbn" } },
    note: { type: "string", "x-secret": true },
  }),
};
const note = (number: string, span: Span) =>
  pluginDiagnostic({ code: `LIBRARY-${number}`, severity: "note", message: "looked at", span });
const KIND = { label: "", requiresSection: { section: "library", finding: "GW3051" } };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gwc-library-"));
  for (const [file, node] of Object.entries(FILES)) writeFileSync(join(folder, file), JSON.stringify(node));
  registerPlugin({
    ...{ name: "library", priority: 0, phases: [], moduleUrl: pathToFileURL(join(folder, "index.js")).href },
    ...{ plan: () => [], describe: () => [], view: () => ({}) },
    kinds: [
      {
        ...{ name: "library_shelves", singular: "library_shelf", schema: "library-shelf.json" },
        ...{ ...KIND, path: "library/shelves" },
      },
      {
        ...{ name: "library_books", singular: "library_book", schema: "library-book.json" },
        ...{ ...KIND, path: "library/books" },
        references: [{ field: "shelf", kind: "library_shelves", loss: "nobody finds it" }],
      },
    ],
    sections: [
      {
        name: "library",
        check: ({ spans }) => [note("001", spans.value([]))],
      },
    ],
    formats: {
      isbn: { code: "GW2115", errorText: "no book", fault: (text) => (text === "1" ? undefined : "unread") },
    },
    table: {
      check(resources, { report }) {
        const [, second] = resources.written("library_shelves");
        if (second) report(note("002", second.spans.value([])));
      },
      plan: (resources, secret) => ({
        books: resources.sorted<{ note?: string }>("library_books").map(({ id, value: { note }, spans }) => ({
          id,
          note: note === undefined ? null : secret(note, `book:${id}`, spans.value(["note"])),
        })),
      }),
    },
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

const compiled = (text: string) =>
  compile({ sources: [{ name: "gateway.yaml", text, format: "yaml" }], environment: {} });
const found = (text: string) =>
  compiled(text).diagnostics.map(({ code, span }) => `${code} ${span?.start.line}:${span?.start.column}`);

const SECTION = "library: { town: a }\n";
const BOOKS = `library_shelves:
  - id: a
library_books:
  - { id: b2, shelf: a, isbn: "1" }
  - { id: b1, shelf: a }
`;

describe("resources of a plugin", () => {
  it("resources of a plugin become its table, which the plan contains and its hash depends on", () => {
    const { plan, artifact } = compiled(SECTION + BOOKS);
    const books = [
      { id: "b1", note: null },
      { id: "b2", note: null },
    ];
    expect(artifact?.tables).toEqual({ library: { books } });
    expect(JSON.parse(plan ? canonicalPlan(plan) : "{}")).toMatchObject({ library: { books } });
    const other = compiled(SECTION + BOOKS.replace("b1", "b3")).artifact;
    expect(other?.planHash).not.toBe(artifact?.planHash);
  });

  it("a plugin's own schemas, formats and section are checked, and diagnostics have their location", () => {
    expect(found(SECTION + BOOKS)).toEqual(["LIBRARY-001 1:10"]);
    expect(found("library: { twon: a }\n")).toEqual(["LIBRARY-001 1:10", "GW2101 1:12"]);
    expect(found(SECTION + BOOKS.replace('"1"', '"2"'))).toContain("GW2115 5:31");
    expect(found(SECTION + BOOKS.replace("b1", "b1, pages: 1"))).toContain("GW2101 6:15");
  });

  it("a plugin's resources are checked together for missing references, unused ones and a missing section", () => {
    expect(found(`${SECTION}${BOOKS.replace("b1, shelf: a", "b1, shelf: c")}`)).toContain("GW3010 6:22");
    expect(found(`${SECTION}library_shelves:\n  - id: a\n  - id: b\n`)).toEqual([
      ...["LIBRARY-001 1:10", "GW3011 3:9", "LIBRARY-002 4:5", "GW3011 4:9"],
    ]);
    expect(found(BOOKS)).toEqual(["GW3051 2:9", "GW3051 4:11", "GW3051 5:11"]);
  });

  it("a plugin's table contains the names of secrets; their values are kept out of the artifact", () => {
    const text = SECTION + BOOKS.replace("b1", "b1, note: hidden");
    const { artifact, secrets } = compiled(text);
    expect(artifact?.tables?.["library"]?.["books"]?.[0]).toEqual({ id: "b1", note: "library:book:b1" });
    expect([...secrets]).toEqual([["library:book:b1", "hidden"]]);
    expect(JSON.stringify(artifact)).not.toContain("hidden");
  });

  it("a write of a plugin's resource compiles the table of that plugin and of no other plugin", () => {
    const put = (kind: string, id: string, value: object): Change => ({
      put: { kind, id, text: JSON.stringify(value) },
    });
    const compilation = newCompilation({ secretKey: "of the installation" });
    compilation.load({ sources: [], environment: {} });
    const told = (...changes: Change[]) => {
      const { delta, diagnostics, commit } = compilation.write(changes);
      commit();
      return delta?.tables ?? diagnostics.map(({ code }) => code);
    };
    const book = put("library_books", "b1", { shelf: "a" });
    expect(told(put("library_shelves", "a", {}), book)).toEqual({
      library: { books: [{ id: "b1", note: null }] },
    });
    expect(Object.keys(told(put("captcha_customers", "shop", {})))).toEqual(["captcha"]);
    expect(told({ remove: { kind: "library_shelves", id: "a" } })).toEqual(["GW3004"]);
    expect(told({ remove: { kind: "library_books", id: "b1" } })).toEqual({ library: {} });
  });
});
