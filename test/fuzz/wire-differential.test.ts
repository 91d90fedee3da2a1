import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requests, responses } from "./messages.js";
import { nodeRequests, nodeResponse, ourRequests, ourResponse, type Understood } from "./readers.js";

const RUNS = 20_000;

/** The gateway's target for the absolute form is its path and query; node:http keeps the absolute form. */
const comparable = (one: Understood): Understood => ({
  ...one,
  start: one.start.replace(/^(\S+) http:\/\/[^/?]*(.*)$/i, (_, method: string, rest: string) =>
    rest.startsWith("/")
      ? `${method} ${rest}`
      : `${method} ${rest === "" && method === "OPTIONS" ? "*" : `/${rest}`}`,
  ),
});

describe("messages that both node:http and the gateway accept", () => {
  it("the gateway and node:http read the same requests from the same bytes", () => {
    let both = 0;
    fc.assert(
      fc.property(requests, (text) => {
        const ours = ourRequests(text, text.length);
        const theirs = nodeRequests(text).map(comparable);
        const shared = Math.min(ours.length, theirs.length);
        both += shared;
        expect(ours.slice(0, shared)).toEqual(theirs.slice(0, shared));
      }),
      { numRuns: RUNS },
    );
    // The generator must not drift into texts that both reject.
    expect(both).toBeGreaterThan(RUNS / 4);
  });

  it("the gateway and node:http read the same response from the same bytes", () => {
    let both = 0;
    fc.assert(
      fc.property(responses, fc.constantFrom("GET", "GET", "HEAD"), (text, method) => {
        const ours = ourResponse(text, method, text.length);
        const theirs = nodeResponse(text, method);
        if (ours === undefined || theirs === undefined) return;
        both++;
        expect(ours).toEqual(theirs);
      }),
      { numRuns: RUNS },
    );
    expect(both).toBeGreaterThan(RUNS / 4);
  });
});

describe("messages in pieces", () => {
  it("the gateway reads the same messages however the bytes are split", () => {
    fc.assert(
      fc.property(requests, fc.integer({ min: 1, max: 40 }), (text, piece) => {
        expect(ourRequests(text, piece)).toEqual(ourRequests(text, text.length));
      }),
      { numRuns: RUNS },
    );
    fc.assert(
      fc.property(responses, fc.integer({ min: 1, max: 40 }), (text, piece) => {
        expect(ourResponse(text, "GET", piece)).toEqual(ourResponse(text, "GET", text.length));
      }),
      { numRuns: RUNS },
    );
  });
});
