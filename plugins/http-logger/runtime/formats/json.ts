import type { BodyFormat } from "./format.js";

/** Enough for the sentence in which a server says why. */
const ANSWER_BYTES = 16_384;

/** An array of records; `single`: requests have one record, which is the body. */
export function json(single: boolean): BodyFormat {
  return {
    contentType: "application/json",
    answerBytes: ANSWER_BYTES,
    body(entries) {
      const records = entries.map(({ payload }) => payload).join(",");
      return single ? records : `[${records}]`;
    },
  };
}

/** A record a line, the last one ended too. */
export const ndjson: BodyFormat = {
  contentType: "application/x-ndjson",
  answerBytes: ANSWER_BYTES,
  body: (entries) => `${entries.map(({ payload }) => payload).join("\n")}\n`,
};
