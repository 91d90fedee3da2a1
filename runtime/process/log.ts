/** One JSON line on stderr. Fields must hold no secret: no key, no request header, no body. */
export function log(event: string, fields: Record<string, unknown> = {}): void {
  process.stderr.write(
    `${JSON.stringify({ at: new Date().toISOString(), pid: process.pid, event, ...fields })}\n`,
  );
}
