import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startGateway } from "../../../runtime/control/embed.js";

describe("an embedded gateway whose port is in use", () => {
  it("a start on a port in use names the setting and leaves the store ready for the next start", async () => {
    const directory = mkdtempSync(join(tmpdir(), "gwc-taken-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    writeFileSync(join(directory, "gateway.yaml"), "routes: []\n");
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const at = (setting: string, port = 0) => ({ host: "127.0.0.1", port, setting });
    const start = (adminPort: number) =>
      startGateway({
        paths: ["gateway.yaml"],
        directory,
        settings: {
          data: [at("gw.node_listen")],
          admin: at("deployment.admin.admin_listen", adminPort),
          status: at("gw.status"),
          metrics: null,
        },
      });
    const { port } = taken.address() as AddressInfo;
    await expect(start(port)).rejects.toThrow(
      new RegExp(`^port ${port} is already in use by .+: choose another deployment.admin.admin_listen$`),
    );
    const gateway = await start(0);
    expect((await fetch(`http://127.0.0.1:${gateway.addresses.status[0]?.port}/status/ready`)).status).toBe(
      200,
    );
    await gateway.close();
  });
});
