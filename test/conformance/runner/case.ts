import "../../../plugins/index.js";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { plugins } from "../../../compiler/plugin/registry.js";
import type {
  Expected,
  RequestSpec,
  ResponseSpec,
} from "../../../runtime/control/in-process/exchange-spec.js";
import { assetFolder, schemaFile } from "../../../schema/schemas.js";
import type { Verification } from "../../oracle/state.js";

/** The captcha service's response to a token: {} passes it, `cut` and `silence` send no response. */
interface CaseVerdict {
  status?: number;
  error?: string;
  failure?: "cut" | "silence";
}

export interface CaseExchange {
  when?: string;
  request?: RequestSpec;
  upstream?: ResponseSpec;
  expect: Expected & {
    /** Requests to the captcha service, in order. */
    verifications?: Verification[];
  };
}

export interface ConformanceCase {
  /** "proxy-rewrite/add-puts-plugin-value-first". */
  name: string;
  because: Record<string, string>;
  reference: string[];
  configuration: Record<string, unknown>;
  refused?: string[];
  /** `error_msg` of the admin API for the first error. */
  error_msg?: string;
  /** "plugin_configs/c": deleted by force while others name it. */
  deleted?: string[];
  /** By token. */
  verification?: Record<string, CaseVerdict>;
  exchanges?: CaseExchange[];
}

export const FOLDER = fileURLToPath(new URL("..", import.meta.url));

/** Validator of a case file; it ignores annotations of schema/. */
const fits = new Ajv({ allErrors: true, strict: false, validateFormats: false })
  .addSchema(schemaFile("test.json").node, "gwc:/test.json")
  .compile(JSON.parse(readFileSync(join(FOLDER, "case.schema.json"), "utf8")));

/** Files of cases by name: "routing/hosts" is here, "key-auth/hidden-keys" in `cases/` of that plugin. */
const FILES: ReadonlyMap<string, string> = new Map(
  [
    ...filesIn(FOLDER).map((file) => [relative(FOLDER, file), file] as const),
    ...plugins().flatMap(({ name, moduleUrl }) => {
      const folder = join(assetFolder(moduleUrl), "cases");
      return filesIn(folder).map((file) => [join(name, relative(folder, file)), file] as const);
    }),
  ]
    .map(([name, file]) => [name.replace(/\.yaml$/, ""), file] as const)
    .filter(([name]) => name.includes("/")),
);

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".yaml"))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Returns the names of all cases, in order. */
export function caseNames(): string[] {
  return [...FILES.keys()].sort();
}

/** Returns the faults of a case by its schema; empty if it is valid. */
export function caseFaults(written: unknown): string[] {
  if (fits(written)) return [];
  return (fits.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/**
 * Reads one case with `port` for the upstream's port, and `captcha` for the captcha service's.
 * @throws Error if the file does not fit the schema, so that a typo never makes a test without checks
 */
export function readCase(name: string, port: number, captcha = 9088): ConformanceCase {
  const text = readFileSync(FILES.get(name) ?? "", "utf8").replaceAll("@PORT@", String(port));
  const written: unknown = parse(text.replaceAll("@CAPTCHA@", String(captcha)));
  const faults = caseFaults(written);
  if (faults.length > 0) throw new Error(`${name}.yaml: ${faults.join("; ")}`);
  const { because = {}, reference = [], configuration, ...rest } = written as Partial<ConformanceCase>;
  const upstreams = [{ id: "main", nodes: { [`127.0.0.1:${port}`]: 1 } }];
  return {
    ...rest,
    name,
    because,
    reference: [reference].flat(),
    configuration: { upstreams, ...configuration },
  };
}
