import { rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { compileLibrary, hasCompiler } from "../../support/compiled-library.js";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "./gateway.js";

const SOURCE = fileURLToPath(new URL("./fixtures/failing-fork.c", import.meta.url));

const upstream = useUpstream();

/** Errors of a start: Node throws ENOMEM and emits EAGAIN as an event. */
const ERRORS = [constants.errno.ENOMEM, constants.errno.EAGAIN];

describe.runIf(hasCompiler("a system that starts no process"))(
  "a gateway whose launcher can start no process",
  () => {
    let gateway: ProcessGateway;
    let flag: string;
    beforeEach(async () => {
      const routes = [{ id: "r", uri: "/*", upstream: { nodes: upstream.nodes } }];
      gateway = await ProcessGateway.prepare({ routes }, { workers: 1 });
      flag = join(gateway.directory, "failing");
      const library = join(gateway.directory, "failing-fork.so");
      compileLibrary(SOURCE, library);
      vi.stubEnv("LD_PRELOAD", library);
      vi.stubEnv("FAILING_FORK", flag);
      // The socket has no reader, but each notification still starts a process.
      vi.stubEnv("NOTIFY_SOCKET", join(gateway.directory, "notify"));
      vi.stubEnv("WATCHDOG_USEC", "600000");
      await gateway.open();
      await until(() => gateway.ready());
    });
    afterEach(async () => {
      rmSync(flag, { force: true });
      vi.unstubAllEnvs();
      await gateway.end();
    });

    const notStarted = (name: string) =>
      gateway.log("child_not_started").filter(({ child }) => child === name).length;
    const untold = () =>
      gateway.log("systemd_notify_failed").filter(({ reason }) => /ENOMEM|EAGAIN/.test(String(reason)))
        .length;
    const readiness = () =>
      exchange(gateway.statusPort, "GET", "/status/ready", undefined, { connection: "close" });

    /** Expects that the gateway serves, and that all its processes run again once processes can start. */
    async function expectToGoOn(): Promise<void> {
      expect((await gateway.get("/")).status).toBe(200);
      rmSync(flag);
      expect((await readiness()).status).toBe(200);
      await until(() => gateway.ready().catch(() => false));
      expect((await gateway.get("/")).status).toBe(200);
      expect(gateway.hasEnded).toBe(false);
    }

    it("a gateway serves without control while no process can start, and restarts control afterwards", async () => {
      for (const error of ERRORS) {
        const before = [notStarted("control"), notStarted("start responder")] as const;
        writeFileSync(flag, String(error));
        process.kill(gateway.child("control"), "SIGKILL");
        await until(
          () =>
            (notStarted("control") > before[0] + 2 && notStarted("start responder") > before[1] + 2) ||
            undefined,
        );
        await expectToGoOn();
      }
    });

    it("a gateway continues to serve after SIGUSR2 if no successor can start", async () => {
      for (const [times, error] of ERRORS.entries()) {
        writeFileSync(flag, String(error));
        gateway.process.kill("SIGUSR2");
        await until(() => gateway.log("successor_failed").length > times || undefined);
        expect(notStarted("successor")).toBe(times + 1);
        await expectToGoOn();
      }
    });

    it("a gateway continues to serve if it cannot notify systemd", async () => {
      for (const error of ERRORS) {
        const before = untold();
        writeFileSync(flag, String(error));
        await until(() => untold() > before + 1 || undefined);
        await expectToGoOn();
      }
    });
  },
);
