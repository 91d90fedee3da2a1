/** What a visitor's browser does: the proof of work, the time from the tick to the token, and the bytes of each file. Debian's Chromium. */
import { readFileSync } from "node:fs";
import type { ScoreRequest } from "../../plugins/captcha/service/protocol.js";
import { KEYS } from "../e2e/captcha/browser/configuration.js";
import { type Harness, openHarness } from "../e2e/captcha/browser/harness.js";
import { WITHOUT_BROWSER } from "../support/browser.js";
import { median } from "./cpu.js";

/** The default of a site key: 16 puzzles of so many bits. */
const POW_BITS = 14;

interface Asset {
  bytes: number;
  gzip: number;
  brotli: number;
}

/** @returns Markdown */
export async function browserReport(
  progress: (text: string) => void,
  { visits = 15 }: { visits?: number } = {},
): Promise<string> {
  if (WITHOUT_BROWSER) return WITHOUT_BROWSER;
  const harness = await openHarness({ siteKeys: { powBits: POW_BITS } });
  const work: number[] = [];
  const waits: number[] = [];
  try {
    await visit(harness);
    for (let n = 1; n <= visits; n++) {
      progress(`visit ${n} of ${visits}`);
      const { workMs, waitMs } = await visit(harness);
      work.push(workMs);
      waits.push(waitMs);
    }
  } finally {
    await harness.close();
  }
  const row = (what: string, ms: readonly number[]) =>
    `| ${what} | ${[median(ms), Math.min(...ms), Math.max(...ms)].map((one) => one.toFixed(0)).join(", ")} ms |`;
  return [
    `| ${visits} visits | median, least, most |`,
    "|---|---|",
    row(`proof of work (16 puzzles of ${POW_BITS} bits, in a worker)`, work),
    row("from the tick to the token, without a task", waits),
    "",
    sizes(),
  ].join("\n");
}

/** One visitor who ticks once the frame is there. */
async function visit(harness: Harness): Promise<{ workMs: number; waitMs: number }> {
  const body = `<div class="sp-captcha" data-sitekey="${KEYS.low}" data-response-field></div>`;
  const person = await harness.visit({ body });
  try {
    const scored = person.page.waitForRequest("**/api/v1/score");
    await person.checkbox().waitFor();
    const begin = performance.now();
    await person.tick();
    const { pow } = (await scored).postDataJSON() as ScoreRequest;
    await person.called("sp-captcha:success");
    return { workMs: pow.ms, waitMs: performance.now() - begin };
  } finally {
    await person.close();
  }
}

function sizes(): string {
  const folder = new URL("../../plugins/captcha/widget/assets/", import.meta.url);
  const assets = JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8")) as {
    files: Record<string, Asset>;
  };
  const rows = Object.entries(assets.files).map(
    ([name, { bytes, gzip, brotli }]) => `| ${name} | ${bytes} | ${gzip} | ${brotli} |`,
  );
  return ["| file | bytes | gzip | brotli |", "|---|---|---|---|", ...rows].join("\n");
}
