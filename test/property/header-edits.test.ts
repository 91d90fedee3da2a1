import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type HeaderEdit, headerEdits } from "../../runtime/abi/text/header-edits.js";
import { FieldNames } from "../../runtime/http/field-names.js";
import { HeaderList } from "../../runtime/http/header-list.js";
import { runs } from "../support/runs.js";

// Few names, so that edits meet received headers, each other and other spellings of themselves.
const name = fc.constantFrom(
  "X-A",
  "x-a",
  "X_A",
  "x.a",
  "X-B",
  "Vary",
  "Cookie",
  "Set-Cookie",
  "X-Long-Name",
  "Host",
  "TE",
  "Content-Length",
);
const value = fc.constantFrom("", "1", " two ", "a\r\nX-C: 1", "\u00e4", "3,4", "\x7f");
const edit: fc.Arbitrary<HeaderEdit> = fc.oneof(
  fc.tuple(fc.constantFrom("set" as const, "append" as const, "prepend" as const), name, value),
  fc.tuple(fc.constant("delete" as const), name),
);
const received = fc.array(fc.tuple(name, fc.constantFrom("", "r", "s, t")), { maxLength: 6 });

interface Before {
  received: [string, string][];
  foldsNames: boolean;
  earlier: readonly HeaderEdit[];
  aside: readonly string[];
}

function list({ received: fields, foldsNames, earlier, aside }: Before): HeaderList {
  let text = "";
  const lines = fields.flatMap(([field, content]) => {
    const start = text.length;
    text += `${field}: ${content}\r\n`;
    return [start, start + field.length, text.length];
  });
  const headers = new HeaderList(text, lines);
  headers.foldsNames = foldsNames;
  one(headers, earlier);
  if (aside.length > 0) headers.setAside(new FieldNames(aside));
  return headers;
}

function one(headers: HeaderList, edits: readonly HeaderEdit[]): void {
  for (const [action, field, content = ""] of edits)
    if (action === "delete") headers.delete(field);
    else headers[action](field, content);
}

describe("prepared edits", () => {
  it("prepared header edits have the same result as single calls in order", () => {
    const before: fc.Arbitrary<Before> = fc.record({
      received,
      foldsNames: fc.boolean(),
      earlier: fc.oneof(fc.constant<HeaderEdit[]>([]), fc.array(edit, { maxLength: 2 })),
      aside: fc.constantFrom<(readonly string[])[]>([], [], ["x-a", "vary"]),
    });
    fc.assert(
      fc.property(
        before,
        fc.array(edit, { maxLength: 5 }),
        fc.array(edit, { maxLength: 2 }),
        (state, edits, later) => {
          const [calls, prepared] = [list(state), list(state)];
          one(calls, edits);
          const group = headerEdits(...edits);
          prepared.edit(group);
          expect(prepared.toWire()).toBe(calls.toWire());
          const [fresh, copy] = [prepared.toWire(), prepared.copy()];
          // Later edits change only this message.
          for (const headers of [calls, prepared]) one(headers, later);
          expect(prepared.toWire()).toBe(calls.toWire());
          expect(copy.toWire()).toBe(fresh);
          for (const headers of [calls, prepared]) headers.restore();
          expect(prepared.toWire()).toBe(calls.toWire());
          const again = list(state);
          again.edit(group);
          expect(again.toWire()).toBe(fresh);
          one(again, later);
          again.restore();
          expect(again.toWire()).toBe(prepared.toWire());
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  it("prepared header edits may be more than the limit of a linear scan", () => {
    const edits = Array.from({ length: 40 }, (_, i): HeaderEdit => ["set", `X-${i}`, String(i)]);
    const headers = new HeaderList("", []);
    headers.edit(headerEdits(...edits));
    expect(headers.names()).toHaveLength(40);
  });
});
