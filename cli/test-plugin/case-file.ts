import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSource } from "../../compiler/1-parse/parse.js";
import { nearest } from "../../compiler/diagnostics/nearest.js";
import type { Path, Spanned } from "../../compiler/model/source.js";
import { isObject } from "../../runtime/abi/json-object.js";
import type { ExpectedLog } from "../../runtime/control/in-process/exchange-spec.js";
import type { Failure } from "./report.js";

interface CaseRequest {
  method?: string;
  target?: string;
  /** "Name: value" */
  headers?: string[];
  body?: string;
}

export interface CaseAnswer {
  status?: number;
  headers?: string[];
  body?: string;
  /** No response is sent. */
  silence?: boolean;
}

export interface ExpectedMessage {
  headers?: Record<string, string | string[]>;
  absent?: string[];
  body?: string;
}

export interface CaseExchange {
  when?: string;
  request?: CaseRequest;
  upstream?: CaseAnswer;
  expect: {
    upstream_request?: false | (ExpectedMessage & { method?: string; target?: string });
    response?: ExpectedMessage & { status?: number };
    /** Number of requests to each of these services during the exchange. */
    service_requests?: Record<string, number>;
    /** Records of loggers, by plugin, as in tests of a configuration. */
    log?: ExpectedLog[];
  };
}

/** A case of a package: a configuration with exchanges through it, or one with expected errors or warnings. */
export interface PluginCase {
  because: string;
  configuration: Record<string, unknown>;
  /** Codes of exactly the expected errors. */
  refused?: string[];
  /** Codes of exactly the expected warnings. */
  warned?: string[];
  /** Responses by path, of servers whose address is written in the configuration as "@name@". */
  services?: Record<string, Record<string, CaseAnswer>>;
  exchanges?: CaseExchange[];
}

export interface CaseFile {
  /** "cases/sets-the-header.yaml" */
  file: string;
  located: Spanned<PluginCase>;
}

/** Types of the fields of each part; "*" is any name. */
type Shape =
  | "text"
  | "textOrNull"
  | "number"
  | "boolean"
  | "texts"
  | "fields"
  | "any"
  | [Shape]
  | { [field: string]: Shape };

const MESSAGE = { headers: "fields", absent: "texts", body: "text" } as const;
const ANSWER = { status: "number", headers: "texts", body: "text", silence: "boolean" } as const;
const CASE: Shape = {
  because: "text",
  note: "text",
  configuration: "any",
  refused: "texts",
  warned: "texts",
  services: { "*": { "*": ANSWER } },
  exchanges: [
    {
      when: "text",
      request: { method: "text", target: "text", headers: "texts", body: "text" },
      upstream: ANSWER,
      expect: {
        upstream_request: { ...MESSAGE, method: "text", target: "text" },
        response: { ...MESSAGE, status: "number" },
        service_requests: { "*": "number" },
        log: [
          {
            plugin: "text",
            ...{ record: "any", holds: "any", lacks: "texts", types: { "*": "text" }, text: "text" },
            key: "textOrNull",
          },
        ],
      },
    },
  ],
};

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*\.yaml$/;
const MISNAMED = 'not a case: name it like "words-with-hyphens.yaml"';

/** An invalid case is a failure, so that a typo never leaves a test that tests nothing. */
export function readCases(root: string): { cases: CaseFile[]; failures: Failure[] } {
  const failures: Failure[] = [];
  const cases = namesIn(join(root, "cases")).flatMap((name) => {
    const file = `cases/${name}`;
    if (!NAME.test(name)) {
      failures.push({ file, message: MISNAMED });
      return [];
    }
    const { document, diagnostics } = parseSource({
      name: file,
      text: readFileSync(join(root, file), "utf8"),
      format: "yaml",
    });
    failures.push(...diagnostics.map(({ message, span }) => ({ file, line: span?.start.line, message })));
    if (document === undefined) return [];
    const found = faultsIn(document).map(({ path, message }) => ({
      file,
      line: document.spans.key(path).start.line,
      message,
    }));
    failures.push(...found);
    return found.length > 0 ? [] : [{ file, located: document as Spanned<PluginCase> }];
  });
  return { cases, failures };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch {
    return [];
  }
}

interface Fault {
  path: Path;
  message: string;
}

function faultsIn({ value }: Spanned): Fault[] {
  const found = faults(value, CASE, []);
  if (found.length > 0) return found;
  const { because, configuration, refused, warned, services, exchanges } = value as Partial<PluginCase>;
  if (because === undefined)
    return [{ path: [], message: '"because" is missing: give the reason for the case' }];
  if (configuration === undefined) return [{ path: [], message: '"configuration" is missing' }];
  if (refused !== undefined && exchanges !== undefined)
    return [{ path: ["exchanges"], message: '"exchanges" cannot be combined with "refused"' }];
  if ([refused, exchanges, warned].every((part) => part === undefined))
    return [{ path: [], message: 'one of "exchanges", "refused" and "warned" is required' }];
  const bare = (exchanges ?? []).findIndex(({ expect }) => expect === undefined);
  if (bare >= 0) return [{ path: ["exchanges", bare], message: '"expect" is missing' }];
  return (exchanges ?? []).flatMap(({ expect }, i) =>
    Object.keys(expect.service_requests ?? {})
      .filter((name) => !Object.hasOwn(services ?? {}, name))
      .map((name) => ({
        path: ["exchanges", i, "expect", "service_requests", name],
        message: `"services" has no "${name}"`,
      })),
  );
}

const isText = (value: unknown) => typeof value === "string";
const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

const PLAIN: Readonly<Record<string, [fits: (value: unknown) => boolean, says: string]>> = {
  text: [isText, "a string"],
  textOrNull: [(value) => value === null || isText(value), "a string or null"],
  number: [(value) => typeof value === "number", "a number"],
  boolean: [(value) => typeof value === "boolean", "true or false"],
  texts: [areTexts, "a list of strings"],
  fields: [
    (value) => isObject(value) && Object.values(value).every((one) => isText(one) || areTexts(one)),
    "names of headers, each with a string or a list of strings",
  ],
  any: [isObject, "an object"],
};

function faults(value: unknown, shape: Shape, path: Path): Fault[] {
  const name = path.at(-1) ?? "a case";
  if (typeof shape === "string") {
    const [fits, says] = PLAIN[shape] ?? [() => false, shape];
    return fits(value) ? [] : [{ path, message: `"${name}" must be ${says}` }];
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [{ path, message: `"${name}" must be a list` }];
    return value.flatMap((item, i) => faults(item, shape[0], [...path, i]));
  }
  if (name === "upstream_request" && value === false) return [];
  if (!isObject(value)) return [{ path, message: `"${name}" must be an object` }];
  return Object.entries(value).flatMap(([field, part]) => {
    const below = shape[field] ?? shape["*"];
    if (below !== undefined) return faults(part, below, [...path, field]);
    const near = nearest(field, Object.keys(shape));
    const meant = near === undefined ? "" : `; did you mean "${near}"?`;
    return [{ path: [...path, field], message: `unknown field "${field}"${meant}` }];
  });
}
