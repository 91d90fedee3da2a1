/**
 * `npm run soak:captcha [-- rounds]`: 200 parallel verifications of one token on 4 processes give exactly one success, 1,000 times
 * over, with LMDB and with Redis (issue line of the captcha).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CaptchaSettings } from "../../plugins/captcha/service/contract.js";
import { RedisServer } from "../support/redis-server.js";
import { CaptchaNodes } from "./captcha-race.js";

const ROUNDS = Number(process.argv[2] ?? 1_000);
const SCRIPT = fileURLToPath(new URL("./captcha-node.js", import.meta.url));

async function soak(name: string, store: CaptchaSettings["store"]): Promise<boolean> {
  const nodes = await CaptchaNodes.start(SCRIPT, 4, store);
  const start = performance.now();
  const counts = { exactlyOne: 0, none: 0, several: 0, other: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const [token = ""] = await nodes.issue(1, round);
    const { successes, other } = await nodes.race(token, 200);
    counts.other += other;
    if (successes === 1) counts.exactlyOne++;
    else if (successes === 0) counts.none++;
    else counts.several++;
  }
  await nodes.stop();
  const seconds = (performance.now() - start) / 1_000;
  const rate = Math.round((ROUNDS * 200) / seconds);
  console.log(
    `${name}: ${ROUNDS} tokens x 200 verifications on 4 processes: ${counts.exactlyOne} with exactly one success, ` +
      `${counts.none} with none, ${counts.several} with several; ${counts.other} other answers; ${rate} verifications/s`,
  );
  return counts.exactlyOne === ROUNDS;
}

const directory = mkdtempSync(join(tmpdir(), "gwc-captcha-"));
const redis = await RedisServer.start();
const results = [
  await soak("LMDB", { type: "lmdb", path: directory }),
  await soak("Redis", redis.store(2_000)),
];
await redis.stop();
rmSync(directory, { recursive: true });
process.exit(results.every(Boolean) ? 0 : 1);
