import { type RejectedBody, readRequestBody } from "../2-validate/request-body.js";

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
  | RejectedBody;

const ABSOLUTE = /^(https?):\/\/([^/?#]*)([^#]*)/i;
/** Headers that follow from the body: a request with other values would never end. */
const FRAMING = /^(?:content-length|transfer-encoding)$/i;

export function readRequest(text: string): ReadRequest {
  const body = readRequestBody<WrittenRequest>("POST /gw/admin/which_route", "which-route.json", text);
  if ("errorMessage" in body) return body;
  return { asked: askedOf(body.value), hasStub: body.value.upstream_response !== undefined };
}

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
