import type { FilterRule } from "../../compiler/4-plan/body-filters.js";
import { decoded, isDecodable } from "../../test/oracle/coding.js";
import { holds } from "../../test/oracle/condition.js";
import { act, addAfter } from "../../test/oracle/header-actions.js";
import { type Fields, fieldOf, without } from "../../test/oracle/message.js";
import type { OracleStep } from "../../test/oracle/oracle-step.js";
import type { State } from "../../test/oracle/state.js";
import { bytes, characters } from "../../test/oracle/utf8.js";
import type { ResponseRewriteData } from "./view.js";

/** headerFilter phase (reference 5.2): vars, status, body or filters, header actions. */
export function responseRewrite(data: ResponseRewriteData, state: State): void {
  const { response } = state;
  if (!response || !holds(data.vars, state)) return;
  if (data.status !== null) response.status = data.status;
  // The bytes of a part must fit its Content-Range.
  const partial = response.upstreamHeaders !== undefined && response.upstreamStatus === "206";
  if (data.body !== null && !partial) {
    response.wishes.push({ kind: "replace", body: data.body });
    response.coding = undefined;
    response.headers = without(withoutBodyFields(response.headers), "etag");
  }
  if (data.filters.length > 0 && !partial && isDecodable(response.coding)) wishForFilters(data, state);
  act(data.headers, state, addAfter, {
    read: () => response.headers,
    write: (fields) => {
      response.headers = fields;
    },
  });
}

/** Access phase: requests the full body, in codings that can be decoded, if it will be changed. */
export function requestFullBody({ vars }: Pick<ResponseRewriteData, "vars">, state: State): void {
  if (!holds(vars, state)) return;
  const { forwarded } = state;
  if (fieldOf(forwarded.headers, "range") !== undefined)
    forwarded.headers = ["range", "if-range"].reduce(without, forwarded.headers);
  const accepted = fieldOf(forwarded.headers, "accept-encoding");
  if (accepted === undefined) return;
  const elements = accepted.split(",").map((element) => element.trim());
  const fine = elements.filter((element) => {
    const [coding = ""] = element.toLowerCase().split(";");
    return /;\s*q=0(\.0*)?$/i.test(element) || (coding.trim() !== "*" && isDecodable(coding));
  });
  if (fine.length === elements.length) return;
  const some = fine.some((element) => !/;\s*q=0(\.0*)?$/i.test(element));
  const rest = without(forwarded.headers, "accept-encoding");
  forwarded.headers = [...rest, ["Accept-Encoding", some ? fine.join(", ") : "identity"]];
}

/** A body above the limit is rejected or passed unfiltered; one that does not match its coding is rejected. */
function wishForFilters({ filters: rules, maxBytes, oversize }: ResponseRewriteData, state: State): void {
  const { response } = state;
  if (!response) return;
  undoWrittenCoding(response);
  const received =
    response.upstreamHeaders !== undefined && response.wishes.every(({ kind }) => kind === "filter");
  const nothingToFilter = received && !mayHaveBody(state);

  const plain = bodyAfter(response);
  // The limit applies to the received and to the decoded bytes. A body that is buffered for another filter
  // anyway may be tried by one that would pass it.
  const held = response.wishes.length > 0 && oversize === "pass";
  const coded = received && !held ? response.body.length : 0;
  const streams = rules.every(({ flow }) => flow.mode === "stream");
  const most = maxBytes ?? (streams ? Number.POSITIVE_INFINITY : 67_108_864);
  const fits = plain !== undefined && Math.max(coded, plain.length) <= most;
  if (!fits && !nothingToFilter) {
    if (plain === undefined || oversize === "refuse") response.refused = true;
    else response.oversize = true;
    return;
  }
  response.headers = withoutBodyFields(response.headers);
  if (fits) response.wishes.push({ kind: "filter", rules });
}

/**
 * A configured body that is encoded and labelled so is filtered as its text. One that starts like its coding
 * but cannot be decoded is rejected.
 */
function undoWrittenCoding(response: NonNullable<State["response"]>): void {
  const last = response.wishes.at(-1);
  const coding = fieldOf(response.headers, "content-encoding");
  if (last?.kind !== "replace" || coding === undefined || !isDecodable(coding)) return;
  const text = decoded(last.body, coding);
  if (text !== undefined) response.wishes = [{ kind: "replace", body: text }];
  else if (beginsAs(last.body, coding)) response.refused = true;
}

/** RFC 1952 section 2.3.1, RFC 8878 section 3.1.1: other codings have no signature. */
const beginsAs = (body: string, coding: string): boolean =>
  (/gzip$/i.test(coding) && body.startsWith("\x1f\x8b")) ||
  (/zstd$/i.test(coding) && body.startsWith("\x28\xb5\x2f\xfd"));

/** Decoded, after the filters so far. @returns undefined if the body does not match its coding */
export function bodyAfter(response: NonNullable<State["response"]>): string | undefined {
  const { wishes, coding, body } = response;
  return wishes.reduce<string | undefined>(
    (text, wish) => {
      if (wish.kind === "replace") return wish.body;
      return text === undefined ? undefined : filtered(text, wish.rules);
    },
    decoded(body, coding),
  );
}

/** RFC 9112 section 6.3: no body to HEAD, after 204 and 304. RFC 9110 section 15.3.6: no content in a 205. */
export function mayHaveBody({ request, response }: State): boolean {
  return request.method !== "HEAD" && ![204, 205, 304].includes(response?.status ?? 0);
}

const OF_THE_BODY =
  "content-encoding last-modified digest content-digest repr-digest content-md5 accept-ranges".split(" ");

/** A weak ETag stays. */
function withoutBodyFields(fields: Fields): Fields {
  const strong = fields.some(([name, value]) => name.toLowerCase() === "etag" && !value.startsWith("W/"));
  return [...OF_THE_BODY, ...(strong ? ["etag"] : [])].reduce(without, fields);
}

export function filtered(text: string, rules: readonly FilterRule[]): string {
  return rules.reduce((body, rule) => {
    const { source, flags, utf8 } = rule.regex;
    const pattern = new RegExp(source, rule.scope === "global" ? `${flags}g` : flags);
    const subject = utf8 ? characters(body) : body;
    const result = subject.replace(pattern, (...found: (string | undefined)[]) =>
      rule.replacement
        .map((part) => {
          const text = "literal" in part ? part.literal : (found[part.capture] ?? "");
          return utf8 && "literal" in part ? characters(text) : text;
        })
        .join(""),
    );
    return utf8 ? bytes(result) : result;
  }, text);
}

export const oracle: OracleStep = (step, state) => {
  const data = step.data as ResponseRewriteData;
  if (step.phase === "access") requestFullBody(data, state);
  else responseRewrite(data, state);
};
