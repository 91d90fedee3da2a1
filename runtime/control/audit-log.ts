import { closeSync, fdatasyncSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../abi/error-message.js";
import { escapeUnseen } from "../abi/text/unseen.js";
import { log } from "../process/log.js";

const END = 0x0a;

/**
 * Appends a line of JSON and waits until it is on disk. The file is opened for each line, as changes are
 * rare: after a rename or removal it is created again without a signal. A line left incomplete by a crash is
 * ended first, so that only that line is unreadable. A failure is logged and does not undo the change.
 */
export function appendAudit(path: string, record: Readonly<Record<string, unknown>>): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const descriptor = openSync(path, "a+", 0o600);
    try {
      const line = `${escapeUnseen(JSON.stringify({ time: new Date().toISOString(), ...record }))}\n`;
      // A single write, so that appends of other processes do not interleave.
      writeSync(descriptor, endsInsideLine(descriptor) ? `\n${line}` : line);
      fdatasyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    log("audit_failed", { path, reason: messageOf(error) });
  }
}

function endsInsideLine(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== END;
}
