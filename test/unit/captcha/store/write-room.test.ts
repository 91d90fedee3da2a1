import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openFile } from "../../../../plugins/captcha/service/store/lmdb-open.js";

it("a file of the captcha's store has room reserved from its first write on, and ahead of later writes", async () => {
  const directory = mkdtempSync(join(tmpdir(), "gwc-captcha-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "claims.lmdb");
  const { root, room } = openFile(file, 1);
  const sizes = [statSync(file).size];
  const value = "x".repeat(100_000);
  for (let key = 0; key < 20; key += 1) {
    let during = 0;
    await room.write({ puts: 1, bytes: value.length }, () => {
      during = statSync(file).size;
      return root.put(`k${key}`, value);
    });
    sizes.push(during);
  }
  const pages = (root.getStats() as { lastPageNumber: number }).lastPageNumber + 1;
  room.close();
  await root.close();
  // The reserve and a grant, beyond the size of twenty values.
  expect(sizes[0]).toBeGreaterThan(1_000_000);
  expect(sizes.at(-1)).toBeGreaterThan(pages * 4_096 + 262_144);
  expect(statSync(file).size).toBe(sizes.at(-1));
});
