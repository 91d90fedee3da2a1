/** Messages as the oracle sees them. Every text is a byte string: one character per byte. */

import type { PathRules } from "../../runtime/abi/path.js";
import type { LogRecord, Verification } from "./state.js";

/** Fields in order as they stand on the wire, repeated ones apart. */
export type Fields = [name: string, value: string][];

export interface Request {
  method: string;
  target: string;
  headers: Fields;
  body: string;
  /** Behind a body in chunks. */
  trailers: Fields;
  /** Address of the client; of the other end of the connection until the request has been let in. */
  clientAddress: string;
  /** Address of the other end of the connection, once the request has been let in. */
  peerAddress?: string;
  clientPort: number;
  /** Address and port that the client connected to. */
  serverAddress: string;
  serverPort: number;
  /** The client came over TLS. */
  secure?: boolean;
  /** HTTP/1.x. */
  minor: 0 | 1;
  /** `gw.path`; absent: its defaults. */
  pathRules?: PathRules;
}

export interface Answer {
  status: number;
  headers: Fields;
  body: string;
}

/** A 1xx response. */
export interface Interim {
  status: number;
  headers: Fields;
}

/** An upstream's answer: fields behind a body in chunks, and 1xx responses before it. */
interface UpstreamAnswer extends Answer {
  trailers: Fields;
  interim: Interim[];
}

/** What comes back from the upstream: an answer, or the way in which none came. */
export type UpstreamOutcome = UpstreamAnswer | { failure: "connect" | "timeout" | "protocol" };

/** What the upstream receives; framing fields, which only the wire writes, are not in `headers`. */
export interface Forwarded {
  method: string;
  target: string;
  headers: Fields;
  body: string;
  trailers: Fields;
  /** Key of the upstream's table. */
  upstream: string;
}

/** What the client receives; framing fields are not in `headers`. */
export interface Received {
  status: number;
  headers: Fields;
  body: string;
  /** The value that Content-Length must have when the response carries one; undefined: it must have none. */
  length: number | undefined;
  trailers: Fields;
  interim: Interim[];
}

export interface Prediction {
  /** Undefined when the gateway answers without calling the upstream. */
  forwarded: Forwarded | undefined;
  received: Received;
  /** The route that served the request. */
  route: string | undefined;
  /** In the order in which they are made. */
  logs: LogRecord[];
  /** What the captcha service was asked. */
  verifications: Verification[];
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

export function valuesOf(fields: Fields, name: string): string[] {
  return fields.filter(([other]) => same(other, name)).map(([, value]) => value);
}

/** Fields whose lines are never joined: RFC 9110 sections 5.3 and 11.6.1, RFC 6797, RFC 7469. */
const NEVER_JOINED =
  "set-cookie www-authenticate proxy-authenticate strict-transport-security public-key-pins public-key-pins-report-only".split(
    " ",
  );
export const isNeverJoined = (name: string) => NEVER_JOINED.includes(name.toLowerCase());

/** All values as one text, or undefined when the field is absent. */
export function fieldOf(fields: Fields, name: string): string | undefined {
  const values = valuesOf(fields, name);
  if (values.length === 0) return undefined;
  return values.join(isNeverJoined(name) ? "\n" : same(name, "cookie") ? "; " : ", ");
}

export function without(fields: Fields, name: string): Fields {
  return fields.filter(([other]) => !same(other, name));
}

/** One line instead of all of the field, at the place of the first; an empty value removes the field. */
export function replaced(fields: Fields, name: string, value: string): Fields {
  if (value === "") return without(fields, name);
  const first = fields.findIndex(([other]) => same(other, name));
  if (first < 0) return [...fields, [name, value]];
  const before = without(fields.slice(0, first), name);
  return [...before, [name, value], ...without(fields.slice(first + 1), name)];
}
