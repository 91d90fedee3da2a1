import { isTwin } from "../../test/oracle/admission.js";
import { act, addBefore } from "../../test/oracle/header-actions.js";
import type { OracleStep } from "../../test/oracle/oracle-step.js";
import type { State } from "../../test/oracle/state.js";
import { pathAgain, queryAgain, target, targetText, withQuery } from "../../test/oracle/text.js";
import type { ProxyRewriteData } from "./view.js";

/** Rewrite phase (reference 6.2, 6.3). */
export function proxyRewrite(data: ProxyRewriteData, state: State): void {
  const { forwarded } = state;
  state.captures = undefined;
  if (data.host !== null) forwarded.host = data.host;
  if (data.raw) {
    forwarded.verbatim = true;
    forwarded.target = state.request.target;
  }
  if (data.uri !== null) forwarded.target = withQuery(target(data.uri, data.raw, state), state.query);
  else rewriteByRule(data, state);
  if (forwarded.folds)
    for (const { name } of data.headers)
      forwarded.headers = forwarded.headers.filter(([other]) => !isTwin(other, name));
  act(data.headers, state, addBefore, {
    read: () => forwarded.headers,
    write: (fields) => {
      forwarded.headers = fields;
    },
    gave: (name) => forwarded.written.add(name.toLowerCase()),
  });
  if (data.method !== null) forwarded.method = data.method;
}

/** The first pair that matches replaces the match; the other pairs are ignored. */
function rewriteByRule({ uriRules, raw }: ProxyRewriteData, state: State): void {
  const subject = raw ? state.request.target : state.path;
  for (const { regex, replacement } of uriRules) {
    const found = new RegExp(regex.source, regex.flags).exec(subject);
    if (!found) continue;
    state.captures = [...found];
    const before = subject.slice(0, found.index);
    const after = subject.slice(found.index + found[0].length);
    const middle = target(replacement, raw, state);
    const rest = middle.includes("?") ? queryAgain(after) : pathAgain(after);
    const made = raw
      ? targetText(before + middle + after)
      : withQuery(rooted(pathAgain(before) + middle + rest), state.query);
    state.forwarded.target = rooted(made);
    return;
  }
}

const rooted = (target: string) => (target.startsWith("/") ? target : `/${target}`);

export const oracle: OracleStep = (step, state) => proxyRewrite(step.data as ProxyRewriteData, state);
