import { closeSync, fdatasyncSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../abi/error-message.js";
import { withoutUnseen } from "../abi/text/unseen.js";
import { log } from "../process/log.js";

const END = 0x0a;

/**
 * Appends a line of JSON and waits until the disk has it. The file is opened for each line: changes are rare, and so one that was
 * renamed or removed is made anew without a signal. A line that a lost machine left unfinished is ended first, so that only it cannot
 * be read. On a failure the change stands, and the log tells.
 */
export function appendAudit(path: string, record: Readonly<Record<string, unknown>>): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const descriptor = openSync(path, "a+", 0o600);
    try {
      const line = `${withoutUnseen(JSON.stringify({ time: new Date().toISOString(), ...record }))}\n`;
      // One write: another process that appends comes before or after it.
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
