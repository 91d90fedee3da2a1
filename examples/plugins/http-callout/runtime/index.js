import { LookupClient } from "./client.js";

/** Bytes that the value of a header may have (RFC 9110 section 5.5). */
const FIELD = /^[\t\x20-\x7e\x80-\xff]*$/;

/** @type {import("./index.js").callout} */
export function callout(settings) {
  const { key, headers, closed, subject } = settings;
  /** @type {LookupClient | undefined} */
  let client;
  return {
    resource: {
      kind: "http-callout",
      key,
      open: (context) => new LookupClient(settings, context),
      use(opened) {
        client = opened;
      },
    },
    async rejects(x, body, contentType) {
      // Removed first: an upstream would trust a value that the client sent.
      for (const { name } of headers) x.upstream.headers.delete(name);
      const about = subject(x);
      if (about === undefined) return false;
      const answer = await client?.ask(about);
      if (answer === undefined) {
        if (closed) x.respond(503, body, contentType);
        return closed;
      }
      for (const { name, member } of headers) {
        const value = fieldOf(answer, member);
        if (value !== undefined) x.upstream.headers.set(name, value);
      }
      return false;
    },
  };
}

/** Returns a member as the value of a header; undefined if it is absent or not valid as one. */
function fieldOf(answer, member) {
  const value = Object.hasOwn(answer, member) ? answer[member] : undefined;
  if (!["string", "number", "boolean"].includes(typeof value)) return undefined;
  const bytes = Buffer.from(String(value), "utf8").toString("latin1").trim();
  return FIELD.test(bytes) ? bytes : undefined;
}

export const runtime = { exports: { callout } };
