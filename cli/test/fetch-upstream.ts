import { request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import type { Observed, ResponseSpec } from "../../runtime/control/in-process/exchange-spec.js";
import { WIRE_HEADERS } from "../../runtime/control/in-process/wire-message.js";
import type { CredentialScrubber } from "./credential-scrubber.js";

/** Maximum length of a body. People read a test, and a longer body tells them nothing. */
const LONGEST = 65_536;
const LONGEST_MS = 10_000;

type UpstreamRequest = NonNullable<Observed["upstreamRequest"]>;

/** Omits parts that depend on the wire or the clock, and credentials. */
export async function fetchUpstreamResponse(
  origin: string,
  { method, target, headers, body }: UpstreamRequest,
  censor: CredentialScrubber,
): Promise<ResponseSpec> {
  const sent = headers.filter(
    // A compressed body would not be readable in a file.
    ([name]) => !WIRE_HEADERS.includes(name.toLowerCase()) && name.toLowerCase() !== "accept-encoding",
  );
  const bytes = Buffer.from(body, "latin1");
  const fields = [...sent.flat(), ...(bytes.length > 0 ? ["Content-Length", String(bytes.length)] : [])];
  const { status, lines, content } = await exchanged(origin, method, target, fields, bytes);
  const kept = lines
    .filter(([name]) => !WIRE_HEADERS.includes(name.toLowerCase()))
    .map(([name, value]) => censor.line(`${name}: ${value}`, " of the upstream"));
  const text = content.toString("utf8");
  const isText = Buffer.from(text, "utf8").equals(content) && !text.includes("${{");
  const written = isText ? censor.body(text, " of the upstream") : { hex: content.toString("hex") };
  return { status, ...(kept.length > 0 && { headers: kept }), ...(content.length > 0 && { body: written }) };
}

interface Answered {
  status: number;
  lines: [string, string][];
  content: Buffer;
}

/** @throws Error if the response is incomplete or too long */
function exchanged(
  origin: string,
  method: string,
  target: string,
  fields: string[],
  body: Buffer,
): Promise<Answered> {
  const url = new URL(origin);
  const start = url.protocol === "https:" ? secureRequest : plainRequest;
  const { hostname, port } = url;
  return new Promise((resolve, reject) => {
    const options = {
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port,
      method,
      path: target,
      headers: fields,
      setHost: false,
      agent: false,
    };
    const asked = start({ ...options, timeout: LONGEST_MS }, (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      response.on("data", (part: Buffer) => {
        parts.push(part);
        length += part.length;
        if (length > LONGEST) asked.destroy(new Error(`body longer than ${LONGEST} bytes`));
      });
      response.on("end", () => {
        const raw = response.rawHeaders;
        const lines = raw.flatMap((name, i): [string, string][] =>
          i % 2 === 0 ? [[name, raw[i + 1] ?? ""]] : [],
        );
        resolve({ status: response.statusCode ?? 0, lines, content: Buffer.concat(parts) });
      });
      response.on("error", reject);
    });
    asked.on("timeout", () => asked.destroy(new Error(`no response within ${LONGEST_MS / 1_000} s`)));
    asked.on("error", reject);
    asked.end(body);
  });
}
