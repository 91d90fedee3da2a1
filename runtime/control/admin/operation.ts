import type { CompilerThread } from "../../../compiler/thread/compiler-client.js";
import type { MetricFamily } from "../../abi/metrics.js";
import type { LogsReport } from "../../process/logs-report.js";
import type { DescribedOperation } from "../../process/operation.js";
import type { CertificateDate } from "../certificates.js";
import type { Overview } from "../overview/overview.js";
import type { Adopted, Adoption } from "../reloaded.js";
import type { Traces } from "../traces.js";
import type { SimulatedRequest } from "../which-route/generation-simulator.js";
import type { RequestSimulator } from "../which-route/request-simulator.js";
import { type ApiResponse, failure } from "./answer.js";
import type { KeyIdentity } from "./authentication.js";
import type { NodeHealthParts } from "./healthcheck.js";
import { isFolder } from "./kinds.js";
import type { WriteCondition, WriteParts } from "./write.js";

export interface AdminRequest {
  method: string;
  /** Decoded segments after `/gw/admin/`. */
  segments: string[];
  query: URLSearchParams;
  bodyText: string;
  condition: WriteCondition;
  contentType: string | undefined;
  accept: string | undefined;
  /** Owner of the key; undefined if none is required and none was given. */
  key: KeyIdentity | undefined;
  address: string;
  /** Header X-Gw-Note, one character a byte. */
  note: string | undefined;
}

interface LogsParts {
  reports: () => Promise<readonly LogsReport[]>;
  families: () => Promise<readonly MetricFamily[]>;
  /** Null if there are no spools. */
  spool: () => { directory: string; max_bytes: number } | null;
}

interface CertificatesParts {
  dates: () => readonly CertificateDate[];
  /** PEM chains of an `ssls` resource, without those with unreadable files; undefined if it is not in use. */
  chains: (id: string) => string[] | undefined;
}

export interface WhichRouteParts {
  runner: Pick<RequestSimulator, "run" | "places">;
  /** Running generation and the settings that apply before routing; undefined before the first generation. */
  running: () => Omit<SimulatedRequest, "asked" | "live" | "credentials"> | undefined;
}

export interface DispatchParts extends WriteParts {
  /** Null if the compiler is not installed; then there are no schemas either. */
  compiler: CompilerThread | null;
  readOnly: () => string | undefined;
  generation: () => number;
  adopt: (name: Adoption, dryRun: boolean) => Promise<Adopted>;
  whichRoute: WhichRouteParts;
  overview: Pick<Overview, "answer">;
  certificates: CertificatesParts;
  logs: LogsParts;
  traces: Pick<Traces, "arm" | "disarm" | "of" | "list">;
  nodes: NodeHealthParts;
  /** Reason to reject even reads: the store was unreadable at start. */
  unreadable: string | undefined;
}

export interface AdminOperation extends DescribedOperation {
  /** Maximum body size in bytes, if smaller than that of a write. */
  mostBytes?: number;
  answer(parts: DispatchParts, request: AdminRequest, below: string[]): ApiResponse | Promise<ApiResponse>;
  /** Reply to a method that the path does not support; default: 404, as in the reference. */
  otherMethod?(method: string): ApiResponse;
}

export const NO_COMPILER = "the compiler is not installed here";

/** Runs a handler that needs the compiler; 503 if it is not installed. */
export function compiled(
  { compiler }: Pick<DispatchParts, "compiler">,
  answer: (compiler: CompilerThread) => ApiResponse | Promise<ApiResponse>,
): ApiResponse | Promise<ApiResponse> {
  return compiler ? answer(compiler) : failure(503, NO_COMPILER);
}

/** Reports whether segments match a path template, such as "schema/{kind}". */
export function fits(template: string, segments: readonly string[]): boolean {
  let at = 0;
  for (const part of template.split("/")) {
    const segment = segments[at];
    if (segment === undefined || (!part.startsWith("{") && part !== segment)) return false;
    at += part === "{kind}" && isFolder(segment) && at + 1 < segments.length ? 2 : 1;
  }
  return at === segments.length;
}
