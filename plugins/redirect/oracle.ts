import type { Text, TextPart } from "../../compiler/model/plan.js";
import { fieldOf } from "../../test/oracle/message.js";
import type { OracleStep } from "../../test/oracle/oracle-step.js";
import { ownPage } from "../../test/oracle/own-answer.js";
import type { State } from "../../test/oracle/state.js";
import { pathAgain, queryAgain, targetText, withQuery } from "../../test/oracle/text.js";
import { variable } from "../../test/oracle/variables.js";
import type { RedirectData } from "./view.js";

const percent = (byte: string) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
const only = (allowed: RegExp) => (text: string) =>
  [...text].map((c) => (allowed.test(c) ? c : percent(c))).join("");
const inHost = only(/[\w.~:[\]-]/);
const inPath = only(/[\w.~!$&'()*+,;=:@/-]/);
const inValue = only(/[\w.~:@/,-]/);

function textOf(part: TextPart, state: State): string {
  if ("literal" in part) return part.literal;
  if ("capture" in part) return state.captures?.[part.capture] ?? "";
  return String(variable(part.variable, state) ?? part.fallback ?? "");
}

const nameOf = (part: TextPart) => ("variable" in part ? part.variable : "capture" in part ? "$" : "");
const isPath = (part: TextPart) => /^(?:uri|uri_param_.*|\$)$/.test(nameOf(part));

function host(parts: Text, state: State): string {
  return parts
    .map((part) => {
      if ("literal" in part || nameOf(part) === "scheme") return textOf(part, state);
      if (!/^host(name)?$/.test(nameOf(part))) return inHost(textOf(part, state));
      return asked(state);
    })
    .join("");
}

function asked({ host, request }: State): string {
  if (host !== "") return inHost(host);
  return request.serverAddress.includes(":") ? `[${request.serverAddress}]` : request.serverAddress;
}

function path(parts: Text, behindHost: boolean, state: State): string {
  return parts
    .map((part, i) => {
      const value = textOf(part, state);
      if ("literal" in part) return value;
      if (behindHost && i === 0) return value === "" ? "" : pathAgain(value).replace(/^(?!\/)/, "/");
      return isPath(part) || /^(args|query_string)$/.test(nameOf(part)) ? pathAgain(value) : inPath(value);
    })
    .join("");
}

function values(parts: Text, state: State): string {
  return parts
    .map((part) => {
      const value = textOf(part, state);
      if ("literal" in part) return value;
      if (/^(args|query_string)$/.test(nameOf(part))) return targetText(value);
      return isPath(part) ? queryAgain(value) : inValue(value);
    })
    .join("");
}

function location(data: Extract<RedirectData, { kind: "location" }>, state: State): string | undefined {
  const { to, pattern } = data;
  const found = pattern && new RegExp(pattern.regex.source, pattern.regex.flags).exec(state.path);
  if (pattern && !found) return undefined;
  const before = state.captures;
  if (found) state.captures = [...found];
  const origin = to.origin && host(to.origin, state);
  let made = path(to.target.path, origin !== null, state);
  if (to.target.query !== null) made += `?${values(to.target.query, state)}`;
  if (found) {
    const rest = state.path.slice(found.index + found[0].length);
    made += made.includes("?") ? queryAgain(rest) : pathAgain(rest);
    if (origin === null) made = pathAgain(state.path.slice(0, found.index)) + made;
  }
  if (to.query) made = withQuery(made, state.query);
  while (origin === null && made.startsWith("//")) made = made.slice(1);
  if (origin === null && !made.startsWith("/")) made = `/${made}`;
  if (to.fragment !== null) made += `#${values(to.fragment, state)}`;
  state.captures = before;
  return (origin ?? "") + made;
}

function redirect(data: RedirectData, state: State): void {
  const answer = (status: number, where: string) => {
    const { body } = ownPage(status);
    state.answered = { status, body, contentType: "text/html", headers: [["Location", where]] };
  };
  if (data.kind === "location") {
    const where = location(data, state);
    if (where !== undefined) answer(data.status, where);
    return;
  }
  const came = fieldOf(state.received, "x-forwarded-proto") ?? String(variable("scheme", state));
  if (came.split(",")[0]?.trim().toLowerCase() !== "http") return;
  const { method, target } = state.request;
  const port = data.port === 443 ? "" : `:${data.port}`;
  const again = target.startsWith("/") ? targetText(target) : "/";
  answer(["GET", "HEAD"].includes(method) ? 301 : 308, `https://${asked(state)}${port}${again}`);
}

export const oracle: OracleStep = (step, state) => redirect(step.data as RedirectData, state);
