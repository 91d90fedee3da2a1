import { expect, it } from "vitest";
import { reportOf } from "../../../compiler/diff/report.js";
import { reportRedactor } from "../../../compiler/report/redact-report.js";
import { utf8 } from "../../../runtime/abi/text/bytes.js";

it("a report masks a secret completely even if it begins with another secret", () => {
  const hide = reportRedactor(["secret", "secret-and-more"]);
  expect(hide({ text: "secret-and-more, secret" })).toEqual({ text: "***, ***" });
});

it("a report masks a secret in values and names of headers, but not in its own field names", () => {
  const hide = reportRedactor(["status", "after"]);
  const shown = hide({ status: 200, after: "after", differences: [{ actual: { status: "status" } }] });
  expect(shown).toEqual({ status: 200, after: "***", differences: [{ actual: { "***": "***" } }] });
});

it("a diff report masks secrets in texts and in bytes of an exchange, the longest secret first", () => {
  const named = (secrets: string[]) => ({ name: "a", secrets, place: () => undefined });
  const details = { removed: ["is schlüssel-lang"], added: ["is schlüssel"] };
  const probe = {
    method: "GET",
    host: "a.example",
    target: "/",
    headers: [["x-a", utf8("schlüssel-lang")] as const],
    body: "",
    client: "192.0.2.1",
    upstream: { status: 200, headers: [], body: "" },
  };
  const outcome = { route: "actions", upstream: null, status: 200 };
  const example = { probe, before: outcome, after: outcome, differs: [] };
  const change = { kind: "actions", severity: "changed", subject: "a", details, example } as const;
  const report = reportOf(
    { severity: "changed", changes: [change], unchanged: 0 },
    named(["schlüssel"]),
    named(["schlüssel-lang", "actions"]),
  );
  expect(report.changes[0]).toMatchObject({
    kind: "actions",
    removed: ["is ***"],
    added: ["is ***"],
    example: { headers: ["x-a: ***"] },
  });
});
