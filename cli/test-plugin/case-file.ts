import "../../plugins/index.js";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSource } from "../../compiler/1-parse/parse.js";
import { check } from "../../compiler/2-validate/check.js";
import type { Diagnostic } from "../../compiler/model/diagnostic.js";
import type { Spanned } from "../../compiler/model/source.js";
import type { Expected, RequestSpec, ResponseSpec } from "../../runtime/control/in-process/exchange-spec.js";
import type { Failure } from "./report.js";

export interface ServiceResponse {
  status?: number;
  headers?: string[];
  body?: string;
  /** No response is sent. */
  silence?: boolean;
}

export interface CaseExchange {
  when?: string;
  request?: RequestSpec;
  upstream?: ResponseSpec;
  expect: Omit<Expected, "route"> & {
    /** Number of requests to each of these services during the exchange. */
    service_requests?: Record<string, number>;
  };
}

/** A case by `schema/plugin-case.json`: a configuration with exchanges, or with expected errors or warnings. */
export interface PluginCase {
  because: string;
  configuration: Record<string, unknown>;
  refused?: string[];
  warned?: string[];
  /** Responses by path, of servers whose address is written in the configuration as "@name@". */
  services?: Record<string, Record<string, ServiceResponse>>;
  exchanges?: CaseExchange[];
}

export interface CaseFile {
  /** "cases/sets-the-header.yaml" */
  file: string;
  located: Spanned<PluginCase>;
}

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
    const text = readFileSync(join(root, file), "utf8");
    const { document, diagnostics } = parseSource({ name: file, text, format: "yaml" });
    const found = [...diagnostics.map(failureOf), ...(document === undefined ? [] : faultsIn(document))];
    failures.push(...found.map((fault) => ({ file, ...fault })));
    return document === undefined || found.length > 0
      ? []
      : [{ file, located: document as Spanned<PluginCase> }];
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

type Fault = Pick<Failure, "line" | "message">;

function failureOf({ code, message, help, span }: Diagnostic): Fault {
  const more = help === undefined ? "" : `; ${help}`;
  return { line: span?.start.line, message: `${code}: ${message}${more}` };
}

function faultsIn(document: Spanned): Fault[] {
  const found = check("plugin-case.json", { located: document, root: "case", errorPrefix: "" });
  if (found.length > 0) return found.map(failureOf);
  const { services = {}, exchanges = [] } = document.value as PluginCase;
  return exchanges.flatMap(({ expect }, i) =>
    Object.keys(expect.service_requests ?? {})
      .filter((name) => !Object.hasOwn(services, name))
      .map((name) => ({
        line: document.spans.key(["exchanges", i, "expect", "service_requests", name]).start.line,
        message: `"services" has no "${name}"`,
      })),
  );
}
