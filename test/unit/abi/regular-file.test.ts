import { execFileSync } from "node:child_process";
import { symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readHead, readRegularFile, UnreadableFileError } from "../../../runtime/abi/regular-file.js";
import { useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();
const at = (name: string) => join(directory.path, name);

describe("readRegularFile", () => {
  it.each([0, 1, 7, 8, 9, 100])(
    "readRegularFile reads a file of %i bytes, with and without a scratch buffer of 8 bytes",
    (size) => {
      writeFileSync(at("file"), "x".repeat(size));
      const scratch = Buffer.alloc(8);
      expect(readRegularFile(at("file"), 100).toString()).toBe("x".repeat(size));
      expect(readRegularFile(at("file"), 100, scratch).toString()).toBe("x".repeat(size));
    },
  );

  it("readRegularFile throws for a file of one byte more than the limit and for a sparse one of 4 TB", () => {
    writeFileSync(at("file"), "x".repeat(101));
    expect(() => readRegularFile(at("file"), 100)).toThrow("it has 101 bytes; the limit is 100");
    truncateSync(at("file"), 2 ** 42);
    expect(() => readRegularFile(at("file"), 100)).toThrow(UnreadableFileError);
  });

  it("readRegularFile reads a file of unknown size up to the limit", () => {
    const text = readRegularFile("/proc/self/status", 100_000).toString();
    expect(text).toContain("Name:");
    expect(() => readRegularFile("/proc/self/status", 10)).toThrow(UnreadableFileError);
  });

  it.each([
    ["a FIFO", () => execFileSync("mkfifo", [at("odd")])],
    [
      "a link to a FIFO",
      () => {
        execFileSync("mkfifo", [at("fifo")]);
        symlinkSync("fifo", at("odd"));
      },
    ],
    ["a link to /dev/zero", () => symlinkSync("/dev/zero", at("odd"))],
    ["a directory", () => symlinkSync(".", at("odd"))],
  ])("readRegularFile and readHead throw for %s instead of waiting", (_, make) => {
    make();
    expect(() => readRegularFile(at("odd"), 100)).toThrow("it is not a regular file");
    expect(() => readHead(at("odd"), 10)).toThrow("it is not a regular file");
  });

  it("readRegularFile and readHead follow a link, and readHead reads the head of a file of 4 TB", () => {
    writeFileSync(at("file"), "head");
    symlinkSync("file", at("link"));
    expect(readRegularFile(at("link"), 4).toString()).toBe("head");
    truncateSync(at("file"), 2 ** 42);
    expect(readHead(at("link"), 4).toString()).toBe("head");
  });
});
