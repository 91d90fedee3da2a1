import { createHash } from "node:crypto";
import { isTwin } from "../../test/oracle/admission.js";
import { fieldOf, without } from "../../test/oracle/message.js";
import type { OracleStep } from "../../test/oracle/oracle-step.js";
import { parameter } from "../../test/oracle/query.js";
import type { State } from "../../test/oracle/state.js";
import type { KeyAuthData } from "./index.js";

/** Access phase: a consumer's key in the header, otherwise in the query; 401 without one. */
export function keyAuth(data: KeyAuthData, errorResponse: string | undefined, state: State): void {
  const key = fieldOf(state.received, data.header) ?? parameter(state.query, data.query);
  const consumer = data.consumers.find((candidate) => key !== undefined && candidate.key === digest(key));
  if (consumer !== undefined) {
    state.consumer = consumer.username;
    if (data.hide) hide(data, state);
    return;
  }
  const refusal = `{"message":"${key === undefined ? "Missing" : "Invalid"} API key in request"}\n`;
  const json = errorResponse === undefined || errorResponse.startsWith("{");
  state.answered = {
    status: 401,
    body: errorResponse === undefined ? refusal : Buffer.from(errorResponse, "utf8").toString("latin1"),
    contentType: json ? "application/json" : "text/plain",
    headers: [["WWW-Authenticate", 'ApiKey realm="gateway"']],
  };
}

const digest = (key: string) => `sha256:${createHash("sha256").update(key, "latin1").digest("hex")}`;

function hide({ header, query }: KeyAuthData, { forwarded }: State): void {
  const { folds, headers } = forwarded;
  forwarded.headers = without(headers, header).filter(([other]) => !folds || !isTwin(other, header));
  const [path = "", ...rest] = forwarded.target.split("?");
  const pairs = rest.join("?").split("&");
  const kept = pairs.filter((pair) => parameter(pair, query) === undefined);
  if (rest.length > 0) forwarded.target = kept.length === 0 ? path : `${path}?${kept.join("&")}`;
}

export const oracle: OracleStep = (step, state) =>
  keyAuth(step.data as KeyAuthData, step.errorResponse, state);
