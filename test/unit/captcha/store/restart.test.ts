import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLmdbStates } from "../../../../plugins/captcha/service/store/lmdb-states.js";
import { botTick, CaptchaApi, type Visitor } from "../../../support/captcha-api.js";
import { ManualClock } from "../../../support/captcha-clock.js";
import { captchaLimits, place } from "../../../support/captcha-limits.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-captcha-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const open = () => CaptchaApi.open({ settings: { store: { type: "lmdb", path: directory } } });

/** The same browser, with its calls sent to the given service. */
function at(api: CaptchaApi, before: Visitor): Visitor {
  const visitor = api.visitor();
  visitor.adopt(before);
  return Object.assign(visitor, { task: before.task, ref: before.ref });
}

describe("a captcha with LMDB that is started again", () => {
  it("a start removes the rights of others from its folder and files, and leaves other files alone", async () => {
    await (await open()).close();
    const other = join(directory, "other.txt");
    writeFileSync(other, "");
    for (const path of [directory, ...readdirSync(directory).map((name) => join(directory, name))])
      chmodSync(path, 0o755);
    await (await open()).close();
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    expect(modeOf(directory)).toBe(0o700);
    expect(modeOf(other)).toBe(0o755);
    for (const name of ["claims.lmdb", "claims.lmdb-lock", "sessions.lmdb", "sessions.lmdb-lock"])
      expect(modeOf(join(directory, name))).toBe(0o600);
  });

  it("sessions survive a restart: one without a tick can be ticked, one with a task can be solved", async () => {
    const before = await open();
    const [begun, ticked] = [before.visitor(), before.visitor()];
    await begun.begin();
    await ticked.arrive(botTick());
    await ticked.next("text");
    const solution = before.tasks.solution();
    await before.close();
    const after = await open();
    expect((await at(after, begun).tick()).body["outcome"]).toBe("token");
    expect((await at(after, ticked).answer(solution)).body["outcome"]).toBe("token");
    // Used sessions stay used.
    expect((await at(after, ticked).answer(solution)).status).toBe(410);
    expect((await at(after, begun).tick()).status).toBe(410);
    await after.close();
  });

  it("a picture does not survive a restart, and a visitor without a picture gets another task", async () => {
    const before = await open();
    const visitor = before.visitor();
    await visitor.arrive(botTick());
    await visitor.next("shapes");
    await before.close();
    const after = await open();
    const again = at(after, visitor);
    expect((await again.part(`/task/${visitor.task}/grid.png`)).status).toBe(404);
    expect((await again.next()).body["outcome"]).toBe("task");
    expect((await again.answer(after.tasks.solution())).body["outcome"]).toBe("token");
    await after.close();
  });

  it("a restarted store counts its entries, evicts in the order of writing and drops them when they expire", async () => {
    const clock = new ManualClock();
    const before = openLmdbStates(directory, captchaLimits(), clock);
    for (let i = 0; i < 8; i++) {
      await before.put(`s${i}`, i, i === 0 ? 1_000 : 60_000, place("session", "n1"));
      clock.advance(5);
    }
    await before.close();
    clock.advance(2_000);
    const after = openLmdbStates(directory, captchaLimits({ sessions: 5 }), clock);
    const kept = async () => {
      const values = await Promise.all(Array.from({ length: 8 }, (_, i) => after.get(`s${i}`)));
      return values.filter((value) => value !== undefined);
    };
    await expect.poll(kept).toEqual([3, 4, 5, 6, 7]);
    expect(after.usage().session).toMatchObject({ entries: 5 });
    clock.advance(60_000);
    await after.put("late", 1, 60_000, place("session", "n1"));
    expect(after.usage().session.entries).toBe(1);
    await after.close();
  });
});
