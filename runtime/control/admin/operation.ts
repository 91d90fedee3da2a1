import type { MetricFamily } from "../../abi/metrics.js";
import type { LogsReport } from "../../process/logs-report.js";
import type { DescribedOperation } from "../../process/operation.js";
import type { CertificateDate } from "../certificate-dates.js";
import type { ControlCompiler } from "../compiler.js";
import type { Overview } from "../overview/overview.js";
import type { Adopted, Adoption } from "../reloaded.js";
import type { Traces } from "../traces/traces.js";
import { type ApiResponse, failure } from "./answer.js";
import type { KeyIdentity } from "./authentication.js";
import type { WriteCondition } from "./condition.js";
import type { NodeHealthParts } from "./healthcheck.js";
import { isFolder } from "./kinds.js";
import type { WhichRouteParts } from "./which-route.js";
import type { WriteParts } from "./write.js";

/** A request that has passed the key. */
export interface AdminRequest {
  /** GET for HEAD. */
  method: string;
  /** Decoded, after `/gw/admin/`. */
  segments: string[];
  query: URLSearchParams;
  bodyText: string;
  condition: WriteCondition;
  contentType: string | undefined;
  accept: string | undefined;
  /** Owner of the key; undefined where none is required and none was given. */
  key: KeyIdentity | undefined;
  /** Address of the peer. */
  address: string;
  /** Field X-Gw-Note, one character a byte. */
  note: string | undefined;
}

/** Known destinations of log records. */
export interface LogsParts {
  reports: () => Promise<readonly LogsReport[]>;
  families: () => Promise<readonly MetricFamily[]>;
  /** Null: there are no spools. */
  spool: () => { directory: string; max_bytes: number } | null;
}

/** Certificates that the running generation presents. */
export interface CertificatesParts {
  dates: () => readonly CertificateDate[];
  /** Chains in PEM of an `ssls` resource, without those whose files could not be read; undefined: it is not in use. */
  chains: (id: string) => string[] | undefined;
}

export interface DispatchParts extends WriteParts {
  /** Null: no compiler here, so no schemas either. */
  compiler: ControlCompiler | null;
  /** Why writes are not taken, or undefined. */
  readOnly: () => string | undefined;
  /** Number of the committed generation. */
  generation: () => number;
  /** Lets configuration files take over a resource of the store. */
  adopt: (name: Adoption, dryRun: boolean) => Promise<Adopted>;
  whichRoute: WhichRouteParts;
  overview: Pick<Overview, "answer">;
  certificates: CertificatesParts;
  logs: LogsParts;
  traces: Pick<Traces, "arm" | "disarm" | "of" | "list">;
  nodes: NodeHealthParts;
  /** Why not even reads are: the store could not be read at start. */
  unreadable: string | undefined;
}

/** An operation that is no resource: how it is described, and what answers it. */
export interface AdminOperation extends DescribedOperation {
  /** Bytes of a body at the most, where they are fewer than those of a write. */
  mostBytes?: number;
  /** @param below what follows the first segment */
  answer(parts: DispatchParts, request: AdminRequest, below: string[]): ApiResponse | Promise<ApiResponse>;
  /** For a method that its path does not have; default: 404, as the reference says. */
  otherMethod?(method: string): ApiResponse;
}

export const NO_COMPILER = "the compiler is not installed here";

/** An answer that only a compiler can give. */
export function compiled(
  { compiler }: Pick<DispatchParts, "compiler">,
  answer: (compiler: ControlCompiler) => ApiResponse | Promise<ApiResponse>,
): ApiResponse | Promise<ApiResponse> {
  return compiler ? answer(compiler) : failure(503, NO_COMPILER);
}

/** Reports whether segments are a path of the form of a template, "schema/{kind}". */
export function fits(template: string, segments: readonly string[]): boolean {
  let at = 0;
  for (const part of template.split("/")) {
    const segment = segments[at];
    if (segment === undefined || (!part.startsWith("{") && part !== segment)) return false;
    at += part === "{kind}" && isFolder(segment) && at + 1 < segments.length ? 2 : 1;
  }
  return at === segments.length;
}
