import { parseSource } from "../1-parse/parse.js";
import { check } from "../2-validate/check.js";
import { adminErrorText } from "../diagnostics/admin-text.js";
import type { Diagnostic } from "../model/diagnostic.js";

type WrittenFields = Readonly<Record<string, string | readonly string[]>>;

interface WrittenRequest {
  method?: string;
  url: string;
  headers?: WrittenFields;
  body?: string;
  remote_addr?: string;
  upstream_response?: { status?: number; headers?: WrittenFields; body?: string };
}

/** Request with the response of its upstream. Texts are text, not bytes yet. */
export interface WhichRouteRequest {
  method: string;
  target: string;
  /** Authority of an absolute URL. */
  host?: string;
  secure: boolean;
  /** "Name: value", without framing headers. */
  headers: string[];
  body: string;
  clientAddress: string;
  upstream: { status: number; headers: string[]; body: string };
}

export type ReadRequest =
  | {
      asked: WhichRouteRequest;
      /** The body contains the upstream's response. */
      hasStub: boolean;
    }
  | { errorMessage: string; diagnostics: Diagnostic[] };

const NAME = "POST /gw/admin/which_route";
const ABSOLUTE = /^(https?):\/\/([^/?#]*)([^#]*)/i;
/** Headers that follow from the body: a request with other values would never end. */
const FRAMING = /^(?:content-length|transfer-encoding)$/i;

export function readRequest(text: string): ReadRequest {
  const { document, diagnostics } = parseSource({ name: NAME, text, format: "json" });
  if (document === undefined || diagnostics.length > 0) return refused(diagnostics);
  const found = check("which-route.json", { located: document, root: "request", errorPrefix: "" });
  return found.length > 0 ? refused(found) : readOf(document.value as WrittenRequest);
}

const readOf = (written: WrittenRequest) => ({
  asked: askedOf(written),
  hasStub: written.upstream_response !== undefined,
});

const refused = (diagnostics: Diagnostic[]) => ({
  errorMessage: `invalid request body: ${adminErrorText(diagnostics)}`,
  diagnostics,
});

function askedOf(written: WrittenRequest): WhichRouteRequest {
  const { url, headers = {}, upstream_response: stub = {} } = written;
  const [, scheme, authority, rest = url] = ABSOLUTE.exec(url) ?? [];
  const named = Object.keys(headers).some((name) => name.toLowerCase() === "host");
  const target = rest.split("#", 1)[0] ?? "";
  return {
    method: written.method ?? "GET",
    target: target === "" || target.startsWith("?") ? `/${target}` : target,
    ...(authority !== undefined && !named && { host: authority }),
    secure: scheme?.toLowerCase() === "https",
    headers: linesOf(headers),
    body: written.body ?? "",
    clientAddress: written.remote_addr ?? "127.0.0.1",
    upstream: { status: stub.status ?? 200, headers: linesOf(stub.headers ?? {}), body: stub.body ?? "" },
  };
}

const linesOf = (fields: WrittenFields): string[] =>
  Object.entries(fields)
    .filter(([name]) => !FRAMING.test(name))
    .flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`));
