/** Strict codec of HTTP/1.1 messages for tests; shares no code with the gateway. */

/** Headers in order, as on the wire. */
export type Fields = [name: string, value: string][];

export interface WireMessage {
  startLine: string;
  headers: Fields;
  /** Byte string; the decoded content of a chunked body. */
  body: string;
  framing: "none" | "length" | "chunked" | "close";
  trailers: Fields;
}

export const fieldValues = (fields: Fields, name: string): string[] =>
  fields.filter(([other]) => other.toLowerCase() === name.toLowerCase()).map(([, value]) => value);

export const fieldLines = (fields: Fields): string =>
  fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");

export const chunked = (body: string, size: number, trailers: Fields = []): string =>
  chunks(body, size, trailers).join("");

export const chunks = (body: string, size: number, trailers: Fields = []): string[] => [
  ...pieces(body, size).map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`),
  `0\r\n${fieldLines(trailers)}\r\n`,
];

export function pieces(text: string, size: number): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += size) found.push(text.slice(at, at + size));
  return found;
}

export interface Head {
  startLine: string;
  headers: Fields;
  /** Index behind the empty line. */
  end: number;
}

/** Reads a head; undefined until it is complete. */
function readHead(text: string): Head | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [startLine = "", ...lines] = text.slice(0, end).split("\r\n");
  return { startLine, headers: lines.map(fieldOf), end: end + 4 };
}

/** @throws Error for an invalid header line */
function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(":");
  if (colon <= 0) throw new Error(`not a header line: ${JSON.stringify(line)}`);
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "")];
}

function readChunked(text: string): { body: string; trailers: Fields; length: number } | undefined {
  let body = "";
  let at = 0;
  for (;;) {
    const lineEnd = text.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const line = text.slice(at, lineEnd);
    if (!/^[0-9a-fA-F]+$/.test(line)) throw new Error(`not a chunk size: ${JSON.stringify(line)}`);
    const size = Number.parseInt(line, 16);
    at = lineEnd + 2;
    if (size === 0) break;
    if (text.length < at + size + 2) return undefined;
    body += text.slice(at, at + size);
    if (text.slice(at + size, at + size + 2) !== "\r\n") throw new Error("chunk longer than its size");
    at += size + 2;
  }
  if (text.startsWith("\r\n", at)) return { body, trailers: [], length: at + 2 };
  const end = text.indexOf("\r\n\r\n", at);
  if (end < 0) return undefined;
  const trailers = text.slice(at, end).split("\r\n").map(fieldOf);
  return { body, trailers, length: end + 4 };
}

/** Reads the message at the beginning of `text`, with its length; undefined until it is complete. */
export function readMessage(
  text: string,
  {
    bodiless,
    whenUnframed,
    ended,
  }: { bodiless: (head: Head) => boolean; whenUnframed: "none" | "close"; ended: boolean },
): { message: WireMessage; length: number } | undefined {
  const head = readHead(text);
  if (!head) return undefined;
  const { startLine, headers, end } = head;
  const of = (body: string, framing: WireMessage["framing"], length: number, trailers: Fields = []) => ({
    message: { startLine, headers, body, framing, trailers },
    length,
  });
  if (bodiless(head)) return of("", "none", end);
  if (fieldValues(headers, "transfer-encoding").length > 0) {
    const read = readChunked(text.slice(end));
    return read && of(read.body, "chunked", end + read.length, read.trailers);
  }
  const [length] = fieldValues(headers, "content-length");
  if (length !== undefined) {
    const size = Number(length);
    return text.length < end + size ? undefined : of(text.slice(end, end + size), "length", end + size);
  }
  if (whenUnframed === "none") return of("", "none", end);
  return ended ? of(text.slice(end), "close", text.length) : undefined;
}

/** Headers that depend on the wire, the gateway or the time. */
export const WIRE_HEADERS: readonly string[] = [
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "server",
  "transfer-encoding",
];
