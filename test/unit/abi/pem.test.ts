import { createSecureContext } from "node:tls";
import { describe, expect, it } from "vitest";
import { hasBrokenBlock, readChain } from "../../../runtime/abi/pem.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";

const { cert, key } = TEST_CERTIFICATE;

describe("a chain of two certificates", () => {
  it("a chain whose second certificate is cut at any offset is broken", () => {
    const broken = Array.from({ length: cert.trimEnd().length - 1 }, (_, at) => cert + cert.slice(0, at + 1));
    expect(broken.filter((pem) => !hasBrokenBlock(pem))).toEqual([]);
    expect(broken.filter((pem) => readChain(pem) !== undefined)).toEqual([]);
    expect([hasBrokenBlock(cert + cert), readChain(cert + cert)?.length]).toEqual([false, 2]);
  });

  it("a chain with a cut certificate in the middle is broken, unless a line of five hyphens is left", () => {
    const cuts = Array.from({ length: cert.trimEnd().length - 5 }, (_, at) => cert.slice(0, at + 5));
    expect(cuts.filter((cut) => !hasBrokenBlock(`${cert}${cut}${cert}`))).toEqual([]);
    // Hyphens alone in their line are a separator.
    const longer = cuts.filter((cut) => cut !== "-----");
    expect(longer.filter((cut) => !hasBrokenBlock(`${cert}${cut}\n${cert}`))).toEqual([]);
  });
});

describe("a chain", () => {
  it.each([
    ["a key before it", `${key}${cert}`],
    [
      "a key with headers",
      `-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: DES-EDE3-CBC,00\n\nAA==\n-----END RSA PRIVATE KEY-----\n${cert}`,
    ],
    ["parameters", `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${cert}`],
    ["lines of openssl s_client", `Certificate chain\n---\n 0 s:CN=a\n${cert}---\nServer certificate\n---\n`],
    ["lines of hyphens with titles", `----- Root -----\n${cert}--------------------\n${cert}`],
    ["a line of five hyphens before it", `-----\n${cert}`],
    ["lines of five hyphens between and behind", `${cert}-----\n${cert}-----\n`],
    ["lines of five hyphens in CRLF", `-----\n${cert}-----\n${cert}-----\n`.replaceAll("\n", "\r\n")],
    ["a last line of one hyphen", `${cert}-\n`],
    ["five hyphens in a comment", `# root\n-----\n${cert}  -----  \n# end\n`],
    ["CRLF", cert.replaceAll("\n", "\r\n")],
    ["no end of its last line", cert.trimEnd()],
  ])("a chain is accepted with %s", (_what, pem) => {
    expect(hasBrokenBlock(pem)).toBe(false);
    expect(readChain(pem)).not.toBeUndefined();
    expect(() => createSecureContext({ cert: pem, key })).not.toThrow();
  });

  it.each([
    ["five hyphens at its end, without a line's end", `${cert}-----`],
    ["a hyphen at its end, without a line's end", `${cert}-`],
    ["five hyphens in front of a first line", `${cert}-----${cert}`],
    ["five hyphens behind a last line", `${cert.trimEnd()}-----\n${cert}`],
    ["a first line that is cut behind a letter", `${cert}-----B\n${cert}`],
    ["a key that is cut", `${cert}${key.slice(0, 90)}`],
    ["the end of a key", `${cert}${key.slice(90)}`],
    ["a key with the end of another label", `${cert}${key.replace("END PRIVATE", "END PUBLIC")}`],
  ])("a chain is broken with %s", (_what, pem) => {
    expect(hasBrokenBlock(pem)).toBe(true);
  });

  it("a megabyte of lines that begin blocks is broken, and a megabyte of hyphens is not", () => {
    const begin = "-----BEGIN X-----\n";
    for (const line of ["-----BEGIN CERTIFICATE-----\n", begin, `${begin}-\n`, "-----BEGIN X-----"])
      expect(hasBrokenBlock(line.repeat(1_000_000 / line.length))).toBe(true);
    expect(hasBrokenBlock(`${begin}${"-\n".repeat(500_000)}`)).toBe(true);
    expect(hasBrokenBlock("-".repeat(1_000_000))).toBe(false);
  });
});
