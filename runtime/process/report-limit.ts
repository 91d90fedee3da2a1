import { log } from "./log.js";

const WINDOW_MS = 1000;
/** Reports that can be told apart at a time; further ones count as one. */
const MOST = 1000;
const LEFT_OUT = "reports_suppressed";

/** Reports under way: how often each came again since its line. */
const again = new Map<string, number>();

/** What takes a line: `log`, or control, which knows more of it. */
export type WriteLine = (event: string, fields: Record<string, unknown>) => void;

/**
 * As `log`, but the same line at most once a second, with the number of those left out as `repeated`: a node that is
 * down would else write a line for every request until the disk of the store is full.
 */
export function logReport(event: string, fields: Record<string, unknown>, write: WriteLine = log): void {
  const key = JSON.stringify([event, fields]);
  if (again.has(key)) {
    again.set(key, (again.get(key) ?? 0) + 1);
    return;
  }
  if (again.size >= MOST && event !== LEFT_OUT) {
    logReport(LEFT_OUT, {});
    return;
  }
  write(event, fields);
  follow(key, event, fields, write);
}

function follow(key: string, event: string, fields: Record<string, unknown>, write: WriteLine): void {
  again.set(key, 0);
  setTimeout(() => {
    const repeated = again.get(key) ?? 0;
    again.delete(key);
    if (repeated === 0) return;
    write(event, { ...fields, repeated });
    follow(key, event, fields, write);
  }, WINDOW_MS).unref();
}
