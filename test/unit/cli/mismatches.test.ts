import { expect, it } from "vitest";
import { mismatches } from "../../../cli/in-process/mismatches.js";
import type { Observed } from "../../../runtime/control/in-process/exchange-spec.js";

const responseOf = (length: number | undefined): Observed => ({
  upstreamRequest: undefined,
  response: { status: 200, headers: [], body: "", length, trailers: [], interim: [] },
});

it.each([
  [true, 0, true],
  [true, 4, true],
  [true, undefined, false],
  [false, undefined, true],
  [false, 0, false],
  [4, 4, true],
  [4, 0, false],
  [0, undefined, false],
  [undefined, 4, true],
])("an expected length of %j and a Content-Length of %j agree: %j", (length, got, agree) => {
  const found = mismatches({ response: length === undefined ? {} : { length } }, responseOf(got));
  expect(found).toEqual(
    agree
      ? []
      : [
          {
            path: ["response", "length"],
            what: "Content-Length of the response",
            expected: length,
            actual: got,
          },
        ],
  );
});
