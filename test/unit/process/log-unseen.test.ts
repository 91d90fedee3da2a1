import { describe, expect, it } from "vitest";
import { renderGithub } from "../../../compiler/report/render.js";
import { logLine, textLine } from "../../../runtime/process/log.js";

/** ESC [ as one C1 control, a direction override, a line separator, zero-width characters and DEL. */
const OBEYED = "\u009b31m\u202eabc\u2066\u2028\u200b\u007f";
const SHOWN = "\\u009b31m\\u202eabc\\u2066\\u2028\\u200b\\u007f";

describe("control and invisible characters", () => {
  it("a log line in JSON has control and invisible characters as escapes with the same meaning", () => {
    const line = logLine({ event: "a", reason: OBEYED });
    expect(line).toContain(SHOWN);
    expect(JSON.parse(line)).toEqual({ event: "a", reason: OBEYED });
    expect(Buffer.byteLength(logLine({ reason: "\u009b".repeat(60_000) }))).toBeLessThanOrEqual(8_192);
  });

  it("a log line for people has control and invisible characters as escapes", () => {
    const line = textLine({ time: new Date(0).toISOString(), event: "a", reason: `x\n${OBEYED}` }, false);
    expect(line).toContain(SHOWN);
  });

  it("a GitHub annotation has control and invisible characters as escapes", () => {
    const found = { code: "GW1", severity: "error", message: OBEYED, notes: [] } as const;
    expect(renderGithub([found as never])).toContain(SHOWN);
  });
});
