/** Bytes of a line; a pattern or a stack must not fill the log with every request. */
const MAX_LINE = 8_192;
/** Characters that are left of each long text of a line that is longer. */
const CUT_TEXT = 512;

/** Text that waits for whoever reads the log (stopped, or slow); lines beyond it are counted instead. */
const MOST_WAITING_BYTES = 1_048_576;

let on = true;
let watched = false;
/** Lines that could not be written since the last one that could. */
let lost = 0;

/** Switches log lines off for a gateway inside another program, or on again. */
export function switchLog(to: boolean): void {
  on = to;
}

/** One JSON line on stderr, of 8 kB at most. Fields must hold no secret: no key, no request header, no body. */
export function log(event: string, fields: Record<string, unknown> = {}): void {
  if (!on) return;
  const line = { at: new Date().toISOString(), pid: process.pid, event, ...fields };
  const missed = lost;
  lost = 0;
  if (!write(`${logLine(missed === 0 ? line : { ...line, lines_lost_before: missed })}\n`))
    lost += missed + 1;
}

/** The line: long texts are cut where all of it would be too long, and then what is still too much is left out. */
export function logLine(line: Record<string, unknown>): string {
  const whole = JSON.stringify(line);
  if (Buffer.byteLength(whole) <= MAX_LINE) return whole;
  const cut = JSON.stringify(line, (_, value: unknown) =>
    typeof value === "string" ? shortened(value) : value,
  );
  if (Buffer.byteLength(cut) <= MAX_LINE) return cut;
  const kept = Object.entries(line).filter(([, value]) => typeof value !== "object" || value === null);
  const few = Object.fromEntries(
    kept.slice(0, 8).map(([key, value]) => [key, typeof value === "string" ? shortened(value) : value]),
  );
  return JSON.stringify({ ...few, cut_from_bytes: Buffer.byteLength(whole) });
}

function shortened(text: string): string {
  return text.length > CUT_TEXT ? `${text.slice(0, CUT_TEXT)}… (${text.length} characters)` : text;
}

/** Findings for people, as `gwc check` prints them. */
export function printReport(report: string): void {
  if (on && report !== "") write(`${report}\n`);
}

/** A log that cannot be written (disk full, its reader gone or stopped) must neither end nor fill the process. */
function write(text: string): boolean {
  if (!watched) {
    watched = true;
    process.stderr.on("error", () => {
      lost += 1;
    });
  }
  if (process.stderr.writableLength > MOST_WAITING_BYTES) return false;
  process.stderr.write(text);
  return true;
}
