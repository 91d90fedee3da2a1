import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requests, responses } from "./messages.js";
import { nodeRequests, nodeResponse, ourRequests, ourResponse, type Understood } from "./readers.js";

const RUNS = 20_000;

/** Our target for the absolute form is its path and query; node:http leaves it whole. */
const comparable = (one: Understood): Understood => ({
  ...one,
  start: one.start.replace(/^(\S+) http:\/\/[^/?]*(.*)$/i, (_, method: string, rest: string) =>
    rest.startsWith("/")
      ? `${method} ${rest}`
      : `${method} ${rest === "" && method === "OPTIONS" ? "*" : `/${rest}`}`,
  ),
});

describe("what node:http and the gateway both accept", () => {
  it("is the same request, one by one", () => {
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
    // The generator must not drift into texts that nobody accepts.
    expect(both).toBeGreaterThan(RUNS / 4);
  });

  it("is the same response", () => {
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

describe("what the gateway reads", () => {
  it("does not depend on how the bytes are cut", () => {
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
