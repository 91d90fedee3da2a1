import { describe, expect, it } from "vitest";
import { CredentialNames } from "../../../runtime/proxy/host/credential-names.js";

describe("what a generation takes credentials from", () => {
  it("is what its units say together, until they are gone", () => {
    const all = new CredentialNames();
    all.set("a", { headers: ["x-key"], query: ["key"] });
    all.set("b", { headers: ["apikey", "x-key"], query: [] });
    expect(all.names).toEqual({ headers: ["apikey", "x-key"], query: ["key"] });
    all.set("a", undefined);
    expect(all.names).toEqual({ headers: ["apikey", "x-key"], query: [] });
    all.set("b", { headers: [], query: ["b"] });
    expect(all.names).toEqual({ headers: [], query: ["b"] });
    all.set("b", undefined);
    expect(all.names).toEqual({ headers: [], query: [] });
  });

  it("is the same object until it says something else", () => {
    const all = new CredentialNames();
    all.set("a", { headers: ["x-key"], query: [] });
    const { names } = all;
    all.set("a", { headers: ["x-key"], query: [] });
    all.set("b", { headers: ["x-key"], query: [] });
    all.set("c", { headers: [], query: [], copies: [["http_other", "x-other"]] });
    all.set("a", undefined);
    expect(all.names).toBe(names);
    all.set("b", undefined);
    expect(all.names).not.toBe(names);
  });

  it("has the copies of what another unit takes for a credential, for as long as it does", () => {
    const all = new CredentialNames();
    all.set("copies", {
      headers: [],
      query: [],
      copies: [
        ["http_x_key", "x-copy"],
        ["arg_key", "x-from-query"],
        ["http_x_page", "x-page"],
      ],
    });
    expect(all.names).toEqual({ headers: [], query: [] });
    all.set("key", { headers: ["x-key"], query: ["key"] });
    expect(all.names).toEqual({ headers: ["x-copy", "x-from-query", "x-key"], query: ["key"] });
    all.set("key", undefined);
    expect(all.names).toEqual({ headers: [], query: [] });
  });

  it("is known at once however many units say the same, and whatever many say of their own is put together once", () => {
    // A list that is put together for each unit would take eight minutes, beyond the limit of a test.
    const all = new CredentialNames();
    for (let i = 0; i < 30_000; i += 1) {
      all.set(`same ${i}`, { headers: ["x-key"], query: [], copies: [["http_x_key", "x-copy"]] });
      if (all.names.headers.length !== 2) throw new Error(all.names.headers.join());
    }
    for (let i = 0; i < 30_000; i += 1) all.set(`own ${i}`, { headers: [`x-${i}`], query: [] });
    expect(all.names.headers).toHaveLength(30_002);
  });
});
