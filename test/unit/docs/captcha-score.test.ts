import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  CONTRADICTIONS,
  MARKS,
  SIGNALS,
  type SignalWeight,
} from "../../../plugins/captcha/service/score/model.js";
import { ROOT, read } from "../../architecture/sources.js";
import { UNPADDED } from "../../tools/plugin-docs.js";

const PAGE = "docs/captcha/score.md";
const signals = Object.entries<SignalWeight>(SIGNALS);

it("the page docs/captcha/score.md lists the signals of the model (UPDATE=1 writes them)", () => {
  const rows = signals.map(
    ([code, { group, weight, floor, means }]) =>
      `| \`${code}\` | ${group} | ${weight === 0 ? "" : weight.toFixed(2)} | ${floor?.toFixed(2) ?? ""} | ${means} |`,
  );
  const table = ["| code | group | weight | floor | means |", "|---|---|---|---|---|", ...rows].join("\n");
  const fresh = read(PAGE).replace(
    /(<!-- signals -->\n)[\s\S]*?(<!-- end of signals -->)/,
    `$1${UNPADDED}\n${table}\n\n$2`,
  );
  if (process.env["UPDATE"] === "1") writeFileSync(join(ROOT, PAGE), fresh);
  else expect(read(PAGE)).toBe(fresh);
});

it("every name that a browser may send is a signal of its group", () => {
  const of = (group: string) => signals.filter(([, signal]) => signal.group === group).map(([code]) => code);
  expect([...MARKS].sort()).toEqual(of("A").sort());
  expect([...CONTRADICTIONS].sort()).toEqual(of("B").sort());
});
