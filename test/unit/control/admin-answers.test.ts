import { expect, it } from "vitest";
import type { Diagnostic } from "../../../compiler/diagnostics/diagnostic.js";
import { refusal } from "../../../runtime/control/admin/answer.js";
import { parseBody } from "../../../runtime/control/admin/body.js";

const finding = (severity: Diagnostic["severity"], code: string): Diagnostic => ({
  code,
  severity,
  message: code,
  notes: [],
});
const diagnosticsOf = (findings: Diagnostic[]) =>
  (refusal(400, "no", findings).body as { diagnostics: Diagnostic[] }).diagnostics;

it("a refusal tells errors before warnings and notes", () => {
  const told = diagnosticsOf([finding("note", "N"), finding("warning", "W"), finding("error", "E")]);
  expect(told.map(({ code }) => code)).toEqual(["E", "W", "N"]);
});

it("a refusal tells a hundred findings, and how many more there are", () => {
  const told = diagnosticsOf(Array.from({ length: 5_000 }, (_, i) => finding("error", `E${i}`)));
  expect(told).toHaveLength(100);
  expect(told.at(-1)?.notes).toEqual([{ message: "and 4900 more" }]);
});

it.each(['{"key": SECRET}', '{"key-auth": {"key": "a"} SECRET}', '{"key": "SECRET', '["a" "SECRET"]'])(
  "the reason why %s is no JSON repeats nothing of it",
  (text) => {
    const parsed = parseBody(text);
    const body = ("answer" in parsed ? parsed.answer.body : {}) as { error_msg?: string };
    expect(body.error_msg).toMatch(/^invalid request body: /);
    expect(body.error_msg).not.toMatch(/SECRET|key/);
  },
);
