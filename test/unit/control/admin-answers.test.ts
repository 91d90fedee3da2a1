import { expect, it } from "vitest";
import type { Diagnostic } from "../../../compiler/model/diagnostic.js";
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

it("a rejection lists errors before warnings and notes", () => {
  const told = diagnosticsOf([finding("note", "N"), finding("warning", "W"), finding("error", "E")]);
  expect(told.map(({ code }) => code)).toEqual(["E", "W", "N"]);
});

it("a rejection lists a hundred diagnostics and the number of further ones", () => {
  const told = diagnosticsOf(Array.from({ length: 5_000 }, (_, i) => finding("error", `E${i}`)));
  expect(told).toHaveLength(100);
  expect(told.at(-1)?.notes).toEqual([{ message: "and 4900 more" }]);
});

it.each(['{"key": SECRET}', '{"key-auth": {"key": "a"} SECRET}', '{"key": "SECRET', '["a" "SECRET"]'])(
  "the message about invalid JSON repeats nothing of %s",
  (text) => {
    const parsed = parseBody(text);
    const body = ("answer" in parsed ? parsed.answer.body : {}) as { error_msg?: string };
    expect(body.error_msg).toMatch(/^invalid request body: /);
    expect(body.error_msg).not.toMatch(/SECRET|key/);
  },
);
