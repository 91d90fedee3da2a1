import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { OPERATIONS } from "../../../runtime/control/admin/operations.js";
import "../../../plugins/index.js";

const DOCS = fileURLToPath(new URL("../../../docs/", import.meta.url));
const PAGE = readFileSync(`${DOCS}admin-api.md`, "utf8");
/** Pages of plugins, which describe the operations of plugins. */
const OF_PLUGINS = readdirSync(`${DOCS}captcha`)
  .filter((name) => name.endsWith(".md"))
  .map((name) => readFileSync(`${DOCS}captcha/${name}`, "utf8"));
const TEXT = [PAGE, ...OF_PLUGINS].join("\n");
const WORDS = new Set([...(TEXT.match(/\w+/g) ?? []), ...(TEXT.match(/[\w-]+/g) ?? [])]);

/** Returns names of all members in the value's schemas, without resources, which have pages of their own. */
function members(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { properties } = value as { properties?: object };
  return [...Object.keys(properties ?? {}), ...Object.values(value).flatMap(members)];
}

it.each(OPERATIONS.map(({ method, path, ...operation }) => [`${method} ${path}`, operation] as const))(
  "the admin API pages name %s, its parameters and every field of its body and responses",
  (name, { parameters = [], body, answers }) => {
    const path = name.split(" ")[1] ?? "";
    expect([name, `/gw/admin/${path}`].some((text) => TEXT.includes(text))).toBe(true);
    const fields = [...parameters.map((one) => one.name), ...members(body), ...members(answers)];
    expect([...new Set(fields)].filter((field) => !WORDS.has(field))).toEqual([]);
  },
);
