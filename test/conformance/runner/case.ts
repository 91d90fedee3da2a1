import "../../../plugins/index.js";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { plugins } from "../../../compiler/plugin/registry.js";
import { assetFolder } from "../../../schema/schemas.js";
import type { Verification } from "../../oracle/state.js";
import type { Fields } from "../../support/wire-message.js";

/** Text stands for its UTF-8 bytes. */
export type Bytes = string | { hex: string } | { repeat: string; times: number };

export interface CaseRequest {
  method?: string;
  target?: string;
  http?: "1.0" | "1.1";
  headers?: string[];
  body?: Bytes;
  chunked?: number;
  from?: string;
}

export interface CaseUpstream {
  failure?: "connect" | "timeout" | "protocol";
  status?: number;
  headers?: string[];
  body?: Bytes;
  encoding?: ("gzip" | "br" | "deflate" | "raw-deflate" | "zstd")[];
  framing?: "length" | "chunked" | "close" | "none";
  pieces?: number;
  interim?: { status: number; headers?: string[] }[];
}

export interface ExpectedMessage {
  headers?: Record<string, string | string[]>;
  /** Names of lines that must stand in this order and spelling. */
  spelled?: string[];
  absent?: string[];
  body?: Bytes;
}

export interface ExpectedRequest extends ExpectedMessage {
  method?: string;
  target?: string;
}

export interface ExpectedResponse extends ExpectedMessage {
  status?: number;
  length?: number | boolean;
}

/** One record that is shipped. */
export interface ExpectedLog {
  plugin: string;
  /** The record, no field more or less, but for those that only a clock or a machine can know. */
  record?: Record<string, unknown>;
  /** Fields that it has among others. */
  holds?: Record<string, unknown>;
  /** Dotted paths of fields that it does not have. */
  lacks?: string[];
  /** Dotted paths of fields whose values only a clock, a machine or the wire can know, and their types. */
  types?: Record<string, "integer" | "number" | "string">;
  /** With `meta_format: origin`: the text. */
  text?: string;
  key?: string | null;
}

/** What the captcha service says of a token; {}: it passes. `cut` and `silence`: no answer comes. */
export interface CaseVerdict {
  status?: number;
  error?: string;
  failure?: "cut" | "silence";
}

export interface CaseExchange {
  when?: string;
  request?: CaseRequest;
  upstream?: CaseUpstream;
  expect: {
    upstream_request?: false | ExpectedRequest;
    response?: ExpectedResponse;
    log?: ExpectedLog[];
    /** What the captcha service was asked, in order. */
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

const fits = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(join(FOLDER, "case.schema.json"), "utf8")),
);

/** Files of all cases by name: "routing/hosts" stands here, "key-auth/hidden-keys" in `cases/` of that plugin. */
const FILES: ReadonlyMap<string, string> = new Map(
  [
    ...filesIn(FOLDER).map((file) => [relative(FOLDER, file), file] as const),
    ...plugins().flatMap(({ name, at }) => {
      const folder = join(assetFolder(at), "cases");
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

/** Names of all cases, in order. */
export function caseNames(): string[] {
  return [...FILES.keys()].sort();
}

/** Where a case does not fit its schema; empty when it does. */
export function caseFaults(written: unknown): string[] {
  if (fits(written)) return [];
  return (fits.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/**
 * Reads one case with `port` for the upstream's port, and `captcha` for the captcha service's.
 * @throws Error for a file that does not fit the schema, so that a typo is never a test that tests nothing
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

export function byteString(bytes: Bytes | undefined): string {
  if (bytes === undefined) return "";
  if (typeof bytes === "string") return Buffer.from(bytes, "utf8").toString("latin1");
  if ("hex" in bytes) return Buffer.from(bytes.hex.replaceAll(" ", ""), "hex").toString("latin1");
  return Buffer.from(bytes.repeat.repeat(bytes.times), "utf8").toString("latin1");
}

/** "Name: value" lines as fields; text as its UTF-8 bytes. */
export function fieldsOf(lines: readonly string[] | undefined): Fields {
  return (lines ?? []).map((line) => {
    const bytes = byteString(line);
    const colon = bytes.indexOf(":");
    return [bytes.slice(0, colon), bytes.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "")];
  });
}
