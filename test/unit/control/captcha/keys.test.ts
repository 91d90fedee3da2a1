import { hkdfSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { derivedKeys, secretOf } from "../../../../plugins/captcha/control/keys.js";
import { StartError } from "../../../../runtime/process/contribution.js";

describe("the captcha's keys", () => {
  it("are five, of 32 bytes each, and differ", () => {
    const keys = Object.values(derivedKeys("a secret of some length"));
    expect(keys.map(({ length }) => length)).toEqual([32, 32, 32, 32, 32]);
    expect(new Set(keys.map((key) => key.toString("hex"))).size).toBe(5);
  });

  it("are the same for the same secret on every node and after every update of the gateway", () => {
    const key = hkdfSync("sha256", "a secret of some length", "gwc captcha 1", "api-key", 32);
    expect(derivedKeys("a secret of some length")["api-key"]).toEqual(Buffer.from(key));
    expect(derivedKeys("a secret of some length")["api-key"].toString("hex")).toBe(
      "c64fd7026fadaf25ba452f2955a4643e2c66cdb27036e5efb4d1885b7eedbfbc",
    );
    expect(derivedKeys("another secret of length")).not.toEqual(derivedKeys("a secret of some length"));
  });
});

describe("the secret of a captcha that none is configured for", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "gwc-captcha-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it("is made once, kept for its owner alone, and has 256 bits", () => {
    const secretFile = join(directory, "store", "captcha.secret");
    const made = secretOf({ secret: null, secretFile });
    expect(Buffer.from(made, "base64url")).toHaveLength(32);
    expect(statSync(secretFile).mode & 0o777).toBe(0o600);
    expect(secretOf({ secret: null, secretFile })).toBe(made);
    expect(readFileSync(secretFile, "utf8")).toBe(`${made}\n`);
  });

  it("gives way to the configured one, and is not kept where nothing is", () => {
    const secretFile = join(directory, "captcha.secret");
    expect(secretOf({ secret: "configured secret", secretFile })).toBe("configured secret");
    expect(() => statSync(secretFile)).toThrow();
    expect(secretOf({ secret: null, secretFile: null })).not.toBe(
      secretOf({ secret: null, secretFile: null }),
    );
  });

  it("is not replaced where it cannot be read: that would void every API key", () => {
    const secretFile = join(directory, "captcha.secret");
    rmSync(directory, { recursive: true });
    writeFileSync(directory, "a file in the way");
    expect(() => secretOf({ secret: null, secretFile })).toThrow(StartError);
    expect(readFileSync(directory, "utf8")).toBe("a file in the way");
  });

  it("is not taken from a file that was cut short: its beginning could be guessed", () => {
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
