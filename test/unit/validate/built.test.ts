import "../../../plugins/index.js";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ValidateFunction } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ajvOutline, ajvValidator } from "../../../compiler/2-validate/ajv.js";
import { withDefaults } from "../../../compiler/2-validate/defaults.js";
import { codePoints } from "../../../compiler/2-validate/keyword-functions.js";
import { schemaFile, schemaFiles } from "../../../schema/schemas.js";
import { CASES, type CaseCompiler, caseNames, runCase } from "../../diagnostics/cases.js";
import { schemaValues } from "../../support/schema-values.js";

// Compares validators that `npm run build` generates from the schemas with ajv, which the sources use.

const require = createRequire(import.meta.url);
/** Loads a module of `.build` by Node itself, since vitest would make a second instance without plugins. */
const built = <T>(path: string) => require(`../../../.build/${path}`) as T;

type Defaults = typeof import("../../../compiler/2-validate/defaults.js");
type Validators = typeof import("../../../compiler/2-validate/validators.js");
type Schemas = typeof import("../../../schema/schemas.js");

built("plugins/index.js");
const { BUILT_FOLDER, builtValidator, outlineValidator, validator } = built<Validators>(
  "compiler/2-validate/validators.js",
);
const builtDefaults = built<Defaults>("compiler/2-validate/defaults.js").withDefaults;

const CONFIGURATION = "configuration.json";
const files = schemaFiles().filter((file) => file !== CONFIGURATION);

function decision(validate: ValidateFunction, value: unknown) {
  const seen = structuredClone(value);
  const valid = validate(seen);
  expect(seen, "validation changes no value").toEqual(value);
  return { valid, errors: validate.errors };
}

describe("a built validator", () => {
  it("the build has a validator for each schema and the outline, and no other one", () => {
    const modules = readdirSync(BUILT_FOLDER, { recursive: true, encoding: "utf8" });
    const named = modules
      .filter((name) => name.endsWith(".js"))
      .map((name) => name.replace(/\.js$/, ".json"));
    expect(named.sort()).toEqual([...files, "outline.json"].sort());
  });

  it.each(files)(
    "the built validator of %s reports the errors of ajv and fills in the same defaults",
    (file) => {
      fc.assert(
        fc.property(schemaValues(schemaFile(file)), (value) => {
          const found = decision(validator(file), value);
          expect(found).toEqual(decision(ajvValidator(file), value));
          if (found.valid !== true || typeof value !== "object" || value === null) return;
          expect(builtDefaults(file, value)).toEqual(withDefaults(file, value));
        }),
        { numRuns: 200 },
      );
    },
  );

  it("the built validator of configuration outlines reports the errors of ajv", () => {
    fc.assert(
      fc.property(schemaValues(schemaFile(CONFIGURATION)), (value) => {
        expect(decision(outlineValidator(), value)).toEqual(decision(ajvOutline(), value));
      }),
      { numRuns: 500 },
    );
  });

  it("codePoints counts characters of strings as ajv does", () => {
    const { default: length } = require("ajv/dist/runtime/ucs2length") as { default: typeof codePoints };
    const halves = fc.constantFrom("\ud83d", "\ude00", "a", "\u{1f600}", "\uffff");
    fc.assert(
      fc.property(fc.array(halves), (parts) => {
        expect(codePoints(parts.join(""))).toBe(length(parts.join("")));
      }),
    );
  });

  it("a built validator throws if its module is missing or was compiled from other schemas", () => {
    expect(() => builtValidator("missing.json")).toThrow(/^this gwc is incomplete: .*missing\.js is missing/);
    const { node } = built<Schemas>("schema/schemas.js").schemaFile("parts/id.json");
    const { title } = node;
    node.title = "Changed";
    expect(() => builtValidator("route.json")).toThrow(/route\.js was compiled from other schemas/);
    if (title !== undefined) node.title = title;
    expect(builtValidator("route.json")).toBe(validator("route.json"));
  });
});

describe("a build", () => {
  const parts =
    "diagnostics/collector report/text compilation/compilation 5-emit/typescript index 1-parse/files model/resource secrets/secret-spans";
  const compiler: CaseCompiler = Object.assign(
    {},
    ...parts.split(" ").map((part) => built<object>(`compiler/${part}.js`)),
  );

  it.each(caseNames())("the built compiler prints the expected output of the diagnostics case %s", (name) => {
    const expected = readFileSync(join(CASES, `${name}.out`), "utf8");
    expect(runCase(name, compiler)).toBe(expected);
  });
});
