import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { claimRunDirectory } from "../../../runtime/process/run-directory.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gwc-test-"));
  vi.stubEnv("TMPDIR", folder);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const runs = () => readdirSync(folder).filter((name) => /^gwc-[A-Za-z0-9]{6}$/.test(name));

it("a run directory gets the name that other starts may remove only after its owner listens", async () => {
  const { listen } = Server.prototype;
  const seen: string[][] = [];
  vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server, ...args: unknown[]) {
    seen.push(runs());
    return Reflect.apply(listen, this, args) as Server;
  });
  const directory = await claimRunDirectory();
  expect(seen).toEqual([[]]);
  expect(runs().map((name) => join(folder, name))).toEqual([directory.path]);
  directory.release();
  expect(readdirSync(folder)).toEqual([]);
});

it("a start removes directories of killed starts after a minute, and no directory of a running gateway", async () => {
  const [killed, fresh] = [join(folder, "gwc-start-aaaaaa"), join(folder, "gwc-start-bbbbbb")];
  for (const path of [killed, fresh]) mkdirSync(path, { mode: 0o700 });
  utimesSync(killed, 0, 0);
  const first = await claimRunDirectory();
  const second = await claimRunDirectory();
  expect([killed, fresh, first.path, second.path].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
    true,
  ]);
  first.release();
  second.release();
});
