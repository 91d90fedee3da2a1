import { describe, expect, it } from "vitest";
import {
  readFromTask,
  readInit,
  readToBox,
} from "../../../../plugins/captcha/widget/shared/between-frames.js";
import { isOwnHost } from "../../../../plugins/captcha/widget/shared/configuration.js";
import { readFromBox } from "../../../../plugins/captcha/widget/shared/from-box.js";

describe("messages between page and frames", () => {
  it("a message is read into a new object of known fields", () => {
    const open = { type: "open", w: 380, h: 520, ref: "abc", more: { deep: 1 } };
    expect(readFromBox(open)).toEqual({ type: "open", w: 380, h: 520, ref: "abc" });
    expect(readFromTask({ type: "ready", more: 1 })).toEqual({ type: "ready" });
    expect(readToBox({ type: "reset", expired: true })).toEqual({ type: "reset", expired: true });
    expect(readToBox({ type: "execute", token: "a.b.c" })).toEqual({ type: "execute" });
    const failed = { type: "failed", code: "cancelled", message: "Stopped.", retryable: true };
    expect(readFromBox({ ...failed, token: "a.b.c" })).toEqual(failed);
  });

  it.each([
    null,
    "open",
    7,
    [],
    {},
    { type: "unknown" },
    { type: "constructor" },
    { type: "__proto__" },
    { type: "open", w: 380 },
    { type: "open", w: "380", h: 520 },
    { type: "open", w: Number.NaN, h: 520 },
    { type: "open", w: 380, h: 1e9 },
    { type: "open", w: 380, h: 520, ref: "../../evil" },
    { type: "token", token: "a.b.c" },
    { type: "token", token: "a".repeat(2_049), ttl_ms: 1_000 },
    { type: "token", token: "a.b.c", ttl_ms: -1 },
    { type: "token", token: "<img>", ttl_ms: 1_000 },
    { type: "error", code: "network_error", message: "x".repeat(501), retryable: true },
    { type: "error", code: {}, message: "x", retryable: true },
    Object.create({ type: "ready", language: "ru" }) as object,
  ])("the reader drops %j", (message) => {
    expect(readFromBox(message)).toBeUndefined();
  });

  it("messages are read the same on a page that added a property to every object", () => {
    const { prototype } = Object as unknown as { prototype: Record<string, unknown> };
    prototype["addedByThePage"] = () => false;
    try {
      expect(readFromBox({ type: "ready", language: "ru" })).toEqual({ type: "ready", language: "ru" });
      expect(readFromBox({ type: "ready", language: "fr" })).toBeUndefined();
    } finally {
      delete prototype["addedByThePage"];
    }
  });

  it("an init message is read only in its complete form", () => {
    const init = { spc: 1, type: "init", id: "w1-abc", cfg: { action: "sign-up", size: "compact" } };
    expect(readInit(init)).toEqual(init);
    expect(readInit({ ...init, cfg: { size: "invisible" } })).toMatchObject({ cfg: { size: "invisible" } });
    for (const broken of [
      { spc: 2 },
      { id: 7 },
      { id: "a b" },
      { cfg: null },
      { cfg: { action: "a b" } },
      { cfg: { size: "huge" } },
    ])
      expect(readInit({ ...init, ...broken })).toBeUndefined();
  });

  it("the pages of a key are those of its hosts and their subdomains alone", () => {
    const hosts = ["example.com"];
    for (const origin of ["https://example.com", "http://example.com:8080", "https://a.b.example.com"])
      expect(isOwnHost(origin, hosts)).toBe(true);
    for (const origin of [
      "null",
      "",
      "https://notexample.com",
      "https://example.com.evil.org",
      "file://",
      "https://evil.org/example.com",
    ])
      expect(isOwnHost(origin, hosts)).toBe(false);
    expect(isOwnHost("https://anything.org", null)).toBe(true);
    expect(isOwnHost("null", null)).toBe(false);
    expect(isOwnHost("https://example.com.", hosts)).toBe(true);
    expect(isOwnHost("http://[::1]:8080", ["::1"])).toBe(true);
  });
});
