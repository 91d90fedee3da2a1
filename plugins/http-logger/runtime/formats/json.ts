import type { BodyFormat } from "./format.js";

/** Enough for a sentence with the server's reason. */
const ANSWER_BYTES = 16_384;

/** `single`: each request has one record, which is the body. */
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

/** The last line also has a line end. */
export const ndjson: BodyFormat = {
  contentType: "application/x-ndjson",
  answerBytes: ANSWER_BYTES,
  body: (entries) => `${entries.map(({ payload }) => payload).join("\n")}\n`,
};
