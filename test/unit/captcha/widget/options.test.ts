import { describe, expect, it } from "vitest";
import { readOptions } from "../../../../plugins/captcha/widget/loader/options.js";
import { readLanguage } from "../../../../plugins/captcha/widget/shared/language.js";

/** Attributes of a container, without "data-". */
const read = (attributes: Record<string, string>) =>
  readOptions(
    (name) => attributes[name] ?? null,
    (name) => name === "submit",
  );
const KEY = { sitekey: "site-key-1" };
const FIELD = { ...KEY, "response-field": "" };

describe("attributes of a container", () => {
  it("[C10] [C12] response-field without a value makes a field of the default name", () => {
    expect(read(FIELD)).toMatchObject({
      options: { field: "captcha-token" },
      fault: undefined,
      warnings: [],
    });
  });

  it("[C13] the name of the field counts only together with the flag", () => {
    const named = { ...KEY, callback: "done", "response-field-name": "token" };
    expect(read(named).options.field).toBeUndefined();
    expect(read({ ...named, "response-field": "" }).options.field).toBe("token");
    expect(read({ ...named, "response-field-name": "submit" }).fault).toBeUndefined();
  });

  it("[H15] the value false means an absent flag, any other a present one", () => {
    const withFlag = (value: string) =>
      read({ ...KEY, callback: "done", "response-field": value }).options.field;
    expect(withFlag("false")).toBeUndefined();
    expect(withFlag(" FALSE ")).toBeUndefined();
    for (const value of ["", "true", "0", "no"]) expect(withFlag(value)).toBe("captcha-token");
  });

  it("[C14] a container needs a field or a callback", () => {
    expect(read(FIELD).fault).toBeUndefined();
    expect(read({ ...KEY, callback: "done" }).fault).toBeUndefined();
    expect(read({ ...KEY, "success-callback": "done" }).fault).toBeUndefined();
    expect(read({ ...KEY, callback: "  " }).fault).toBe("missing_response_target");
    expect(read({ ...KEY, "response-field": "false" }).fault).toBe("missing_response_target");
  });

  it("[V1] an invisible widget needs neither field nor callback", () => {
    expect(read({ ...KEY, size: "invisible" })).toMatchObject({
      options: { size: "invisible", field: undefined },
      fault: undefined,
    });
  });

  it("[H1] data-callback wins over its alias, with a warning", () => {
    expect(read({ ...KEY, callback: "one", "success-callback": "two" })).toMatchObject({
      options: { callbacks: { callback: "one" } },
      warnings: [expect.stringContaining("success-callback")],
    });
    expect(read({ ...KEY, "success-callback": "two" })).toMatchObject({
      options: { callbacks: { callback: "two" } },
      warnings: [],
    });
  });

  it.each([
    [{}, "missing_sitekey"],
    [{ sitekey: " " }, "missing_sitekey"],
    [{ sitekey: "short" }, "invalid_sitekey"],
    [{ sitekey: "has a blank in it" }, "invalid_sitekey"],
    [{ ...FIELD, "response-field-name": "submit" }, "invalid_response_field_name"],
    [{ ...FIELD, "response-field-name": "" }, "invalid_response_field_name"],
  ])("a container with %j has its own fault", (attributes, fault) => {
    expect(read(attributes as Record<string, string>).fault).toBe(fault);
  });

  it("unknown values of theme, size and action give way to the default", () => {
    expect(read({ ...FIELD, theme: "neon", size: "huge", action: "sign up" }).options).toMatchObject({
      theme: "",
      size: "normal",
      action: undefined,
    });
    expect(read({ ...FIELD, theme: "dark", size: "compact", action: "sign-up" }).options).toMatchObject({
      theme: "dark",
      size: "compact",
      action: "sign-up",
    });
  });
});

describe("language", () => {
  it.each([
    [null, "ru"],
    ["", "ru"],
    ["ru", "ru"],
    [" RU ", "ru"],
    ["en", "en"],
    ["EN-us", "en"],
    ["en_GB", "en"],
  ])("[C8] [C9] [H2] the language %j is read as %s", (text, language) => {
    expect(readLanguage(text)).toBe(language);
  });

  it.each(["fr", "<b>", "english", "e"])(
    "[H2] the unknown language %s becomes Russian, with a warning",
    (language) => {
      expect(readLanguage(language)).toBeUndefined();
      expect(read({ ...FIELD, language })).toMatchObject({
        options: { language: "ru" },
        warnings: [expect.stringContaining("data-language")],
      });
    },
  );
});
