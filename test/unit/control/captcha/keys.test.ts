import { hkdfSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { derivedKeys, secretOf } from "../../../../plugins/captcha/control/keys.js";
import { StartError } from "../../../../runtime/process/contribution.js";

describe("the captcha's keys", () => {
  it("the five captcha keys have 32 bytes each and differ", () => {
    const keys = Object.values(derivedKeys("a secret of some length"));
    expect(keys.map(({ length }) => length)).toEqual([32, 32, 32, 32, 32]);
    expect(new Set(keys.map((key) => key.toString("hex"))).size).toBe(5);
  });

  it("the captcha keys depend on the secret alone, by a fixed HKDF", () => {
    const key = hkdfSync("sha256", "a secret of some length", "gwc captcha 1", "api-key", 32);
    expect(derivedKeys("a secret of some length")["api-key"]).toEqual(Buffer.from(key));
    expect(derivedKeys("a secret of some length")["api-key"].toString("hex")).toBe(
      "c64fd7026fadaf25ba452f2955a4643e2c66cdb27036e5efb4d1885b7eedbfbc",
    );
    expect(derivedKeys("another secret of length")).not.toEqual(derivedKeys("a secret of some length"));
  });
});

describe("the generated secret of the captcha", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "gwc-captcha-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it("the generated secret is created once, readable by its owner only, and has 256 bits", () => {
    const secretFile = join(directory, "store", "captcha.secret");
    const made = secretOf({ secret: null, secretFile });
    expect(Buffer.from(made, "base64url")).toHaveLength(32);
    expect(statSync(secretFile).mode & 0o777).toBe(0o600);
    expect(secretOf({ secret: null, secretFile })).toBe(made);
    expect(readFileSync(secretFile, "utf8")).toBe(`${made}\n`);
  });

  it("the generated secret gives way to a configured one, and differs each time without a file", () => {
    const secretFile = join(directory, "captcha.secret");
    expect(secretOf({ secret: "configured secret", secretFile })).toBe("configured secret");
    expect(() => statSync(secretFile)).toThrow();
    expect(secretOf({ secret: null, secretFile: null })).not.toBe(
      secretOf({ secret: null, secretFile: null }),
    );
  });

  it("the generated secret is not replaced if it cannot be read, as that would invalidate every API key", () => {
    const secretFile = join(directory, "captcha.secret");
    rmSync(directory, { recursive: true });
    writeFileSync(directory, "a file in the way");
    expect(() => secretOf({ secret: null, secretFile })).toThrow(StartError);
    expect(readFileSync(directory, "utf8")).toBe("a file in the way");
  });

  it("the generated secret is not read from a truncated file, whose prefix could be guessed", () => {
    const secretFile = join(directory, "captcha.secret");
    const made = secretOf({ secret: null, secretFile });
    for (const length of [1, 8, 42]) {
      writeFileSync(secretFile, made.slice(0, length));
      expect(() => secretOf({ secret: null, secretFile })).toThrow(/captcha\.secret is damaged/);
      expect(readFileSync(secretFile, "utf8")).toBe(made.slice(0, length));
    }
    try {
      secretOf({ secret: null, secretFile });
    } catch (error) {
      expect(String(error)).not.toContain(made.slice(0, 8));
    }
  });
});
