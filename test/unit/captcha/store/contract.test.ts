import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CaptchaStores, openStores } from "../../../../plugins/captcha/service/store/open.js";
import { ManualClock } from "../../../support/captcha-clock.js";
import { captchaLimits } from "../../../support/captcha-limits.js";
import { type StoreKind, storeSuite } from "../../../support/captcha-store-suite.js";
import { SETTINGS } from "../../../support/verify-harness.js";

const secrets = { "key-ring": Buffer.alloc(32, 9) };
const few = captchaLimits({ sessions: 50, claims: 50, sessionsSoft: 1, sessionsHard: 1 });

function memoryKind(): StoreKind {
  const clock = new ManualClock();
  const opened: CaptchaStores[] = [];
  const open = async (limits = SETTINGS.limits) => {
    const stores = await openStores({ store: { type: "memory" }, limits }, secrets, clock);
    opened.push(stores);
    return stores;
  };
  return {
    sharesStates: true,
    countsUsage: true,
    async open() {
      const stores = await open();
      return [stores, stores];
    },
    pass: async (ms) => clock.advance(ms),
    small: open,
    full: () => open(few),
    async close() {
      for (const { claims, states } of opened) {
        await claims.close();
        await states.close();
      }
    },
  };
}

function lmdbKind(): StoreKind {
  const clock = new ManualClock();
  const directory = mkdtempSync(join(tmpdir(), "gwc-captcha-"));
  const opened: CaptchaStores[] = [];
  const open = async (folder: string, limits = SETTINGS.limits) => {
    const store = { type: "lmdb", path: join(directory, folder) } as const;
    const stores = await openStores({ store, limits }, secrets, clock);
    opened.push(stores);
    return stores;
  };
  return {
    sharesStates: true,
    countsUsage: true,
    open: async () => [await open("a"), await open("a")],
    pass: async (ms) => clock.advance(ms),
    small: (limits) => open(`small-${opened.length}`, limits),
    full: () => open("full", few),
    async close() {
      for (const { claims, states } of opened) {
        await claims.close();
        await states.close();
      }
      rmSync(directory, { recursive: true });
    },
  };
}

storeSuite("memory", memoryKind());
storeSuite("LMDB", lmdbKind());
