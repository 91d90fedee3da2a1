let on = true;

/** Switches log lines off for a gateway inside another program, or on again. */
export function switchLog(to: boolean): void {
  on = to;
}

/** One JSON line on stderr. Fields must hold no secret: no key, no request header, no body. */
export function log(event: string, fields: Record<string, unknown> = {}): void {
  if (!on) return;
  const line = { at: new Date().toISOString(), pid: process.pid, event, ...fields };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}

/** Findings for people, as `gwc check` prints them. */
export function printReport(report: string): void {
  if (on && report !== "") process.stderr.write(`${report}\n`);
}
