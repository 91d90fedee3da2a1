import { isUtf8 } from "node:buffer";
import { ACCESS_FORMATS, type Escape, formatParts, type VariablePart } from "../abi/access-format.js";
import type { Exchange } from "../abi/exchange.js";
import { decodeUtf8, encodeUtf8, utf8 } from "../abi/text/bytes.js";
import { escapeUnseen } from "../abi/text/unseen.js";
import { RecordRedactor } from "./record-redactor.js";

/** Formats a line without its line end, as a byte string. @param most maximum bytes of each value */
export type AccessLine = (x: Exchange, most?: number) => string;

type Value = string | number | undefined;
type Reader = (x: Exchange, shown: RecordRedactor) => Value;

/** Masks credentials that plugins of the configuration read, and headers that are credentials by their name. */
const REDACTED = { headers: ["authorization", "cookie", "set-cookie", "proxy-authorization"], query: [] };

/** Compiles a format: the name of a known format, or a pattern that the compiler has checked. */
export function accessLine(format: string, chosen: Escape): AccessLine {
  const named = ACCESS_FORMATS[format];
  const pattern = named?.pattern ?? format;
  const parts = formatParts(utf8(pattern), () => {}).map((part) =>
    "literal" in part ? part.literal : withFallback(readerOf(part), part.fallback),
  );
  const write = (named?.escape ?? chosen) === "json" ? inJson : byDefault;
  const masking = new RecordRedactor(REDACTED);
  return (x, most) => {
    const shown = masking.of(x);
    let line = "";
    for (const part of parts) {
      if (typeof part === "string") line += part;
      else line += write(part(x, shown), most);
    }
    return line;
  };
}

const withFallback = (read: Reader, fallback: string | undefined): Reader =>
  fallback === undefined ? read : (x, shown) => read(x, shown) ?? fallback;

function readerOf({ variable, parameter = "" }: VariablePart): Reader {
  const read = GROUPS[variable.name]?.(parameter) ?? plainReader(variable.code);
  if (variable.name === "request_time") return (x) => Number(read(x)).toFixed(3);
  switch (variable.masked) {
    case "target":
      return (x, shown) => shown.target(read(x));
    case "query":
      return (x, shown) => shown.query(read(x));
    case "line":
      return (x, shown) => shown.line(read(x));
    case "field":
      return REDACTED.headers.includes(parameter)
        ? () => "***"
        : (x, shown) => shown.field(parameter, read(x));
    case "parameter":
      return (x, shown) => shown.parameter(parameter, read(x));
    default:
      return read;
  }
}

const GROUPS: Readonly<Record<string, (parameter: string) => (x: Exchange) => Value>> = {
  http_: (parameter) => (x) => x.request.headers.get(parameter),
  sent_http_: (parameter) => (x) => x.response.headers.get(parameter),
  upstream_http_: (parameter) => (x) => x.response.received(parameter),
  arg_: (parameter) => (x) => x.arg(parameter),
  cookie_: (parameter) => (x) => x.cookie(parameter),
  uri_param_: (parameter) => (x) => x.uriParam(parameter),
};

/** @param code how modules read the variable: a member of the exchange or of its response, or a call with its name */
function plainReader(code: string): (x: Exchange) => Value {
  const [, name] = /^x\.variable\("(\w+)"\)$/.exec(code) ?? [];
  if (name !== undefined) return (x) => x.variable(name);
  if (code === "x.response.status") return (x) => x.response.status;
  if (code === 'x.request.headers.get("content-type")') return (x) => x.request.headers.get("content-type");
  const member = code.replace("x.", "");
  return (x) => (x as unknown as Readonly<Record<string, Value>>)[member];
}

const cut = (text: string, most: number | undefined) =>
  most === undefined || text.length <= most ? text : `${text.slice(0, most)}...`;

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0");
const SPECIAL = /["\\\u0000-\u001f\u007f-\u00ff]/;
const ALL_SPECIAL = /["\\\u0000-\u001f\u007f-\u00ff]/g;

/** Writes an absent or empty value as "-", and a character that could end the value or the line as \xHH. */
function byDefault(value: Value, most: number | undefined): string {
  if (typeof value === "number") return String(value);
  if (value === undefined || value === "") return "-";
  const text = cut(value, most);
  return SPECIAL.test(text) ? text.replace(ALL_SPECIAL, (found) => `\\x${hex(found).toUpperCase()}`) : text;
}

const ALL_CONTROL = /["\\\u0000-\u001f\u007f]/g;
const BEYOND_ASCII = /[\u0080-\u00ff]/;
const ALL_BEYOND_ASCII = /[\u0080-\u00ff]/g;

/** Writes an absent value as "". Bytes that are not UTF-8 become \u00XX, so that the line is JSON. */
function inJson(value: Value, most: number | undefined): string {
  if (typeof value === "number") return String(value);
  if (value === undefined) return "";
  const text = cut(value, most);
  if (!SPECIAL.test(text)) return text;
  const safe = text.replace(ALL_CONTROL, (found) =>
    found === '"' || found === "\\" ? `\\${found}` : `\\u00${hex(found)}`,
  );
  if (!BEYOND_ASCII.test(safe) || isUtf8(Buffer.from(safe, "latin1")))
    return encodeUtf8(escapeUnseen(decodeUtf8(safe)));
  return safe.replace(ALL_BEYOND_ASCII, (found) => `\\u00${hex(found)}`);
}
