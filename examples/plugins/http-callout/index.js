import { createHash } from "node:crypto";
import {
  byteString,
  canonicalJson,
  definePlugin,
  parseText,
  quoted,
  reportAtReference,
  textWords,
} from "gwc/plugin";

const REFUSAL = '{"message":"lookup service unavailable"}\n';

export default definePlugin({
  name: "http-callout",
  abi: [3, 3],
  priority: 2100,
  phases: ["access"],
  exports: { callout: ["resource", "rejects"] },
  runtime: "runtime/index.js",
  asyncAccess: true,
  resourceConstant: "lookup",
  plan({ value, spans }, context) {
    const place = spans.value(["subject"]);
    const subject = parseText(
      value.subject,
      { now: "request", place: "the subject of a lookup", captures: undefined },
      reportAtReference(value.subject, 0, place, context.report),
    );
    const shared = {
      url: value.url,
      timeoutMs: value.timeout,
      cacheSize: value.cache_size,
      cacheMs: value.cache_ttl * 1000,
    };
    // Routes with the same service share its connections and its cache, however they use the responses.
    const key = createHash("sha256").update(canonicalJson(shared)).digest("hex");
    const headers = Object.entries(value.headers).map(([name, member]) => ({ name, member }));
    context.resource({ shared, key, subject, headers, closed: value.on_failure === "closed" });
    return [{ phase: "access", origin: context.origin([]), data: null }];
  },
  describe(_, { shared, subject, headers, closed }) {
    const names = headers.map(({ name, member }) => `${name} from ${quoted(member)}`).join(", ");
    return [
      `asks ${shared.url} about ${textWords(subject)} and sets ${names}`,
      closed ? "answers 503 when it gets no answer" : "lets the request pass when it gets no answer",
    ];
  },
  resource({ shared, key, subject, headers, closed }, printer) {
    const { code, data } = printer;
    const fields = [
      ...Object.entries({ key, ...shared, headers, closed }).map(([name, value]) => [name, data(value)]),
      ["subject", printer.textOf(subject)],
    ];
    return code`${printer.imported("callout")}(${printer.object(fields)})`;
  },
  view({ errorResponse }, printer) {
    const { bytes, code, literal } = printer;
    const body = errorResponse ?? REFUSAL;
    const type = body.startsWith("{") ? "application/json" : "text/plain";
    const refusal = bytes(byteString(body), "refusal");
    return { callout: printer.resource(), arguments: [code`x`, refusal, literal(type)] };
  },
});
