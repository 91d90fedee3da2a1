import { execFileSync } from "node:child_process";
import { constants, openSync, readdirSync, readFileSync, readlinkSync, readSync, writeSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { LineAppender } from "../../../runtime/process/line-appender.js";
import { useTemporaryDirectory } from "../../support/cli.js";
import { until } from "../../support/patience.js";

const directory = useTemporaryDirectory();

function linesTo(path: string) {
  const told = { dropped: 0, failures: [] as string[] };
  const lines = new LineAppender({
    path,
    dropped: (count) => (told.dropped += count),
    failed: (reason) => told.failures.push(reason),
  });
  return { lines, told };
}

/** Numbers of this process's descriptors of a file. */
const descriptorsOf = (path: string) =>
  readdirSync("/proc/self/fd").filter((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`) === path;
    } catch {
      return false;
    }
  });

/** Pipe that accepts no more bytes until it is read. */
function fullPipe(path: string) {
  execFileSync("mkfifo", [path]);
  const end = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const filling = Buffer.alloc(4_096, "f");
  for (let isFull = false; !isFull; ) {
    try {
      writeSync(end, filling);
    } catch {
      isFull = true;
    }
  }
  let text = "";
  const read = () => {
    const bytes = Buffer.alloc(65_536);
    try {
      text += bytes.toString("latin1", 0, readSync(end, bytes));
    } catch {
      // The pipe is empty.
    }
    return text.replace(/^f*/, "");
  };
  return { read };
}

describe("lines that several processes append", () => {
  it("all lines of a line appender are in the file after its close", async () => {
    const path = join(directory.path, "lines.log");
    const { lines, told } = linesTo(path);
    for (const line of ["one", "two"]) lines.add(line);
    await lines.close(60_000);
    expect(readFileSync(path, "latin1")).toBe("one\ntwo\n");
    expect(told).toEqual({ dropped: 0, failures: [] });
    await until(() => descriptorsOf(path).length === 0);
  });

  it("a line appender keeps the descriptor of a pending write after a close and counts unwritten lines", async () => {
    const path = join(directory.path, "pipe");
    const { read } = fullPipe(path);
    const { lines, told } = linesTo(path);
    onTestFinished(() => void read());
    const open = descriptorsOf(path);
    expect(open).toHaveLength(2);
    // Each line is a write of its own, because a pipe keeps writes up to 4,096 bytes together.
    for (const letter of ["a", "b", "c"]) lines.add(letter.repeat(3_000));
    await lines.close(0);
    // All work that the close left to threads is done once they have processed these calls.
    await Promise.all(Array.from({ length: 20 }, () => stat(path)));
    expect(descriptorsOf(path)).toEqual(open);
    expect(await until(() => read() || undefined)).toBe(`${"a".repeat(3_000)}\n`);
    await until(() => descriptorsOf(path).length === 1);
    expect(told).toEqual({ dropped: 2, failures: [] });
  });
});
