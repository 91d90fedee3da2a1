import { describe, expect, it } from "vitest";
import { callbackOf, isFieldName } from "../../../../plugins/captcha/widget/loader/names.js";

/** Properties of a form in a browser, as far as these tests need them. */
const FORM = new Set([
  "submit",
  "action",
  "method",
  "reset",
  "elements",
  "length",
  "target",
  "name",
  "id",
  "constructor",
]);
const allowed = (name: string) => isFieldName(name, (property) => FORM.has(property));

describe("names of the hidden field", () => {
  it.each(["captcha-token", "token", "user[token]", "a.b:c", `a${"b".repeat(63)}`])(
    "a hidden field may be called %s",
    (name) => {
      expect(allowed(name)).toBe(true);
    },
  );

  it.each([
    "",
    "submit",
    "action",
    "method",
    "elements",
    "constructor",
    "__proto__",
    "1token",
    "a b",
    '"><img onerror>',
    "имя",
    `a${"b".repeat(64)}`,
  ])('[H16] a hidden field may not be called "%s"', (name) => {
    expect(allowed(name)).toBe(false);
  });
});

describe("names of callbacks", () => {
  const own = () => "called";
  const scope = Object.assign(Object.create({ inherited: own }), {
    done: own,
    $done_1: own,
    bound: own.bind(null),
    text: "alert(1)",
    object: { inner: own },
    eval: Reflect.get(globalThis, "eval"),
    setTimeout: Array.prototype.map,
  }) as object;

  it.each(["done", "$done_1", "bound"])("the page's own function %s is a callback", (name) => {
    expect(callbackOf(name, scope)?.()).toBe("called");
  });

  it.each([
    "missing",
    "inherited",
    "constructor",
    "toString",
    "__proto__",
    "text",
    "object",
    "object.inner",
    "done()",
    "done;alert(1)",
    "",
    " done",
  ])("[H17] the name %j is no callback", (name) => {
    expect(callbackOf(name, scope)).toBeUndefined();
  });

  it("[H17] functions of the browser itself are no callbacks", () => {
    expect(callbackOf("eval", scope)).toBeUndefined();
    expect(callbackOf("setTimeout", scope)).toBeUndefined();
  });

  it("a callback is looked up at the call, so that the page may define it late", () => {
    const late: Record<string, unknown> = {};
    expect(callbackOf("done", late)).toBeUndefined();
    late["done"] = own;
    expect(callbackOf("done", late)).toBe(own);
  });
});
