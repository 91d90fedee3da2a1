import "../../plugins/index.js";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { schemaFile } from "../../schema/schemas.js";
import { ROOT } from "../architecture/sources.js";

interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: boolean | Schema;
  definitions?: Record<string, Schema>;
}

interface Row {
  name: string;
  type: string;
  required: boolean;
  fallback: string;
  allowed: string;
  description: string;
}

/** Parts are read with what plugins add to them. */
function read(path: string): Schema {
  if (path.startsWith("schema/parts/")) return schemaFile(path.slice("schema/".length)).node as Schema;
  return JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Schema;
}

/** What every plugin has, and what the admin API itself writes. */
const UNSAID: ReadonlySet<string> = new Set(["_meta", "create_time", "update_time"]);

/** Definitions of a part name files beside it; those of a plugin name parts from the root, those of resources from here. */
function pathOf(file: string): string {
  if (file.startsWith("gwc:/")) return `schema/${file.slice(5)}`;
  if (file.startsWith("parts/")) return `schema/${file}`;
  return existsSync(join(ROOT, "schema/parts", file)) ? `schema/parts/${file}` : `schema/${file}`;
}

/** What has a page or a table of its own and is not told again. */
function elsewhere(file: string): Schema | undefined {
  const name = /^gwc:\/plugins\/(.+)\.json$/.exec(file)?.[1];
  if (name !== undefined)
    return {
      type: "object",
      description: `Settings of the plugin [${name}](../../plugins/${name}/README.md).`,
    };
  if (file === "upstream.json")
    return { type: "object", description: "An [upstream](#upstreams) of its own." };
  return undefined;
}

class TableMaker {
  readonly #root: Schema;
  readonly #rows: Row[] = [];

  constructor(root: Schema) {
    this.#root = root;
  }

  rows(): Row[] {
    this.#object(this.#root, "");
    return this.#rows;
  }

  #resolved(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const [file = "", fragment] = schema.$ref.split("#/definitions/");
    const whole = file === "" ? this.#root : read(pathOf(file));
    const target = fragment === undefined ? whole : (whole.definitions?.[fragment] ?? {});
    return { ...target, ...schema };
  }

  #object(schema: Schema, prefix: string): void {
    for (const [name, raw] of Object.entries(schema.properties ?? {})) {
      if (UNSAID.has(name)) continue;
      const required = schema.required?.includes(name) ?? false;
      // The settings of another plugin have a page of their own.
      const resolved = raw.$ref === undefined ? raw : (elsewhere(raw.$ref) ?? this.#resolved(raw));
      this.#property(`${prefix}${name}`, resolved, required);
    }
  }

  #property(name: string, schema: Schema, required: boolean): void {
    const items = schema.items === undefined ? undefined : this.#resolved(schema.items);
    const type = typeText(schema, items);
    const fallback = schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``;
    this.#rows.push({
      name,
      type,
      required,
      fallback,
      allowed: allowedText(schema),
      description: schema.description ?? "",
    });
    const variant = (schema.anyOf ?? schema.oneOf)?.find((one) => one.properties !== undefined);
    if (variant !== undefined) this.#object(variant, `${name}.`);
    else if (schema.properties !== undefined) this.#object(schema, `${name}.`);
    if (items?.properties !== undefined) this.#object(items, `${name}[].`);
  }
}

function typeText(schema: Schema, items: Schema | undefined): string {
  if (schema.enum !== undefined)
    return schema.enum.every((value) => typeof value === "number") ? "integer" : "string";
  if (items !== undefined)
    return items.type === undefined ? "array" : `array of ${[items.type].flat().join(" or ")}`;
  if (schema.type !== undefined) return [schema.type].flat().join(" or ");
  const kinds = new Set((schema.anyOf ?? schema.oneOf ?? []).flatMap((one) => one.type ?? []));
  return kinds.size === 0 ? "object" : [...kinds].join(" or ");
}

function allowedText(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  const { minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `≥ ${minimum}`;
  if (schema.minLength !== undefined && schema.maxLength !== undefined)
    return `${schema.minLength} to ${schema.maxLength} characters`;
  return "";
}

const cell = (text: string) => text.replace(/\|/g, "\\|").replace(/\n/g, " ");

/** Markdown table of a plugin's settings, or of "schema/<file>", made from the schema; `below`: only what a name is in. */
export function attributeTable(stem: string, below?: string): string {
  const [plugin = "", kind = "schema"] = stem.split(".");
  const file = stem.startsWith("schema/") ? stem : `plugins/${plugin}/${kind}`;
  const rows = new TableMaker(read(`${file}.json`)).rows();
  const shown = below === undefined ? rows : rows.filter(({ name }) => name.startsWith(`${below}.`));
  const lines = shown.map(
    ({ name, type, required, fallback, allowed, description }) =>
      `| ${[`\`${name}\``, type, required ? "yes" : "no", fallback, allowed, description].map(cell).join(" | ")} |`,
  );
  return [
    "| attribute | type | required | default | allowed | meaning |",
    "|---|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}

const REGION =
  /(<!-- attributes of ([a-z0-9./-]+)(?: below ([a-z_.]+))? -->\n)[\s\S]*?(<!-- end of attributes -->)/g;

/** Keeps the table behind it in one form: prettier pads cells, so that one longer cell would change every row. */
export const UNPADDED = "<!-- prettier-ignore -->";

/** The page with every marked region filled from its schema. */
export function withTables(markdown: string): string {
  return markdown.replace(
    REGION,
    (_, open: string, stem: string, below: string | undefined, close: string) =>
      `${open}${UNPADDED}\n${attributeTable(stem, below)}\n\n${close}`,
  );
}

/** Fenced blocks of one language. */
export function fencedBlocks(markdown: string, language: string): string[] {
  return Array.from(
    markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm")),
    (match) => match[1] ?? "",
  );
}
