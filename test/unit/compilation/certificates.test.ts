import "../../../plugins/index.js";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkCertificates } from "../../../compiler/certificates/check.js";
import { readConfiguration } from "../../../compiler/compilation/frontend.js";
import type { ResourceLists } from "../../../compiler/plugin/contributions.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { newCompilation } from "../../support/compilation.js";

const original = crypto.createPrivateKey;
let readKeys = 0;
beforeEach(() => {
  readKeys = 0;
  crypto.createPrivateKey = (key) => {
    readKeys += 1;
    return original(key);
  };
  syncBuiltinESMExports();
});
afterEach(() => {
  crypto.createPrivateKey = original;
  syncBuiltinESMExports();
});

const { cert, key } = TEST_CERTIFICATE;
/** Its certificate is for another name than that of each row, which is a lasting finding. */
const row = (id: number) => ({ id: `c${id}`, snis: [`h${id}.test`], cert, key });
const put = (id: number) => ({ put: { kind: "ssls" as const, id: `c${id}`, text: JSON.stringify(row(id)) } });

it("a write of a certificate reads its key and that of the previous write alone", () => {
  const compilation = newCompilation();
  const text = JSON.stringify({ ssls: Array.from({ length: 50 }, (_, i) => row(i)) });
  compilation.load({ sources: [{ name: "gateway.json", text, format: "json" }], environment: {} });
  expect(readKeys).toBe(50);
  for (const [id, expected] of [
    [50, 51],
    [51, 53],
    [52, 55],
  ] as const) {
    const written = compilation.write([put(id)]);
    expect(written.diagnostics.map(({ code }) => code)).toEqual(["GW3066"]);
    written.commit();
    expect(readKeys).toBe(expected);
  }
});

it("a certificate that was read before has the same diagnostics, and those of its dates by the current time", () => {
  const text = JSON.stringify({ ssls: [row(0)] });
  const { resources } = readConfiguration({
    sources: [{ name: "g.json", text, format: "json" }],
    environment: {},
  });
  const lists = { written: () => resources, sorted: () => resources } as unknown as ResourceLists;
  const codesAt = (date: string) => {
    const codes: string[] = [];
    const now = Date.parse(date) / 1_000;
    checkCertificates(lists, { now, report: ({ code }) => codes.push(code) });
    return codes;
  };
  expect(codesAt("2030-01-01")).toEqual(["GW3066"]);
  expect(codesAt("2126-10-27")).toEqual(["GW3066", "GW3068"]);
  expect(codesAt("2126-10-29")).toEqual(["GW3066", "GW3065"]);
  expect(readKeys).toBe(1);
});

it("a certificate is read between lines of five hyphens, and not if its text is cut behind them", () => {
  const codesOf = (cert: string) => {
    const compilation = newCompilation();
    const text = JSON.stringify({ ssls: [{ ...row(0), cert }] });
    return compilation
      .load({ sources: [{ name: "gateway.json", text, format: "json" }], environment: {} })
      .diagnostics.flatMap(({ code, severity }) => (severity === "error" ? [code] : []));
  };
  expect(codesOf(`${cert}-----\n${cert}-----\n`)).toEqual([]);
  expect(codesOf(`${cert}-----`)).toEqual(["GW3061"]);
});
