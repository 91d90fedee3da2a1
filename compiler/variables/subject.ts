import { VARIABLES } from "../../runtime/abi/variables.js";
import type { PatternScope, Subject, SubjectSizes } from "../model/pattern-subject.js";
import { findVariable } from "./variable.js";

/** Defaults of schema/deployment.json. */
export const DEFAULT_SIZES: SubjectSizes = { target: 16_384, head: 32_768 };
/** Minimums of schema/deployment.json. */
export const MIN_SIZES: SubjectSizes = { target: 64, head: 1_024 };
/** Maximum of schema/deployment.json. */
const LARGEST = 1_048_576;
/** Bytes of a captured body: default of `max_req_body_bytes`. */
const CAPTURED_BODY = 524_288;
/** Bytes of addresses, numbers and names that the gateway makes itself. */
const SHORT = 256;
/** Bytes of a slice in which a body is filtered. */
const SLICE = 65_536;
/** Step limit for the patterns of one resource: about a second of a busy machine. */
const RESOURCE_STEPS = 4_000_000;

/**
 * Takes a limit that is known only at run time as the largest. @param otherwise sizes that `gw.limits` does
 * not set
 */
export function subjectSizes(
  deployment: Readonly<Record<string, unknown>> | null,
  otherwise: SubjectSizes,
): SubjectSizes {
  const { gw } = (deployment ?? {}) as { gw?: { limits?: Readonly<Record<string, unknown>> } };
  const limits = gw?.limits;
  const of = (name: string, unstated: number): number => {
    const value = limits?.[name];
    if (value === undefined || value === null) return unstated;
    return typeof value === "number" ? value : LARGEST;
  };
  return { target: of("target_bytes", otherwise.target), head: of("header_bytes", otherwise.head) };
}

export function patternScope(sizes: SubjectSizes = DEFAULT_SIZES): PatternScope {
  return { sizes, budget: { left: RESOURCE_STEPS, size: { patterns: 0, characters: 0 } } };
}

export function pathSubject({ sizes }: PatternScope): Subject {
  return whole("a request target", sizes.target);
}

/** Subject for a response body, which is searched slice by slice or outside of the event loop. */
export function bodySubject(maxBytes: number): Subject {
  return { name: "a body", bytes: maxBytes, atOnce: Math.min(maxBytes, SLICE), allowSlow: true };
}

export function variableSubject(name: string, { sizes }: PatternScope): Subject {
  const { variable } = findVariable(name) ?? {};
  if (variable === undefined) return whole("a head", sizes.head);
  if (variable.body !== undefined) return whole("a captured body", CAPTURED_BODY);
  if (variable.type === "number" || SHORT_ONES.has(variable.name)) return whole("a short value", SHORT);
  if (OF_TARGET.has(variable.name)) return whole("a request target", sizes.target);
  return whole("a header", sizes.head);
}

function whole(name: string, bytes: number): Subject {
  return { name, bytes, atOnce: bytes };
}

const OF_TARGET: ReadonlySet<string> = new Set(
  "uri request_uri real_request_uri args query_string arg_ uri_param_".split(" "),
);

const SHORT_ONES: ReadonlySet<string> = new Set(
  VARIABLES.map(({ name }) => name).filter((name) =>
    /^(?:is_args|scheme|https|server_protocol|request_id|remote_addr|realip_remote_addr|server_addr|time_|balancer_|ssl_protocol|ssl_cipher|nginx_version|server_name|content_length)/.test(
      name,
    ),
  ),
);
