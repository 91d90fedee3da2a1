import { describe, expect, it } from "vitest";
import { CredentialNames } from "../../../runtime/proxy/host/credential-names.js";

describe("the credential names of a generation", () => {
  it("the credential names of a generation are the union of those of its modules, until one is removed", () => {
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

  it("the credential names of a generation remain the same object until they change", () => {
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

  it("a copy of a header or argument is a credential while another module names its source as one", () => {
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

  it("the credential names of 60000 modules are computed in linear time", () => {
    // Merging the whole list for each module would take eight minutes, beyond the limit of a test.
    const all = new CredentialNames();
    for (let i = 0; i < 30_000; i += 1) {
      all.set(`same ${i}`, { headers: ["x-key"], query: [], copies: [["http_x_key", "x-copy"]] });
      if (all.names.headers.length !== 2) throw new Error(all.names.headers.join());
    }
    for (let i = 0; i < 30_000; i += 1) all.set(`own ${i}`, { headers: [`x-${i}`], query: [] });
    expect(all.names.headers).toHaveLength(30_002);
  });
});
