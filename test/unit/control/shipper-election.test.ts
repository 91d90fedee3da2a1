import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Candidate, ShipperElection } from "../../../runtime/control/shipper-election.js";
import type { ToWorker } from "../../../runtime/process/messages.js";

let directory: string;
let election: ShipperElection;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-election-"));
  election = new ShipperElection(join(directory, "spool"));
});
afterEach(() => {
  election.close();
  rmSync(directory, { recursive: true, force: true });
});

function worker(index: number, active = 1): Candidate & { heard: ToWorker[] } {
  const heard: ToWorker[] = [];
  return { index, pid: 100 + index, active, heard, link: { send: (message) => heard.push(message) } };
}

describe("the shipper", () => {
  it("the shipper is the first worker that serves, and remains while others come and go", () => {
    const [zero, one] = [worker(0), worker(1)];
    election.look([worker(0, 0), one]);
    expect(one.heard).toEqual([{ type: "ship", epoch: 1 }]);
    election.look([zero, one]);
    election.look([one]);
    expect(one.heard).toHaveLength(1);
    expect(zero.heard).toEqual([]);
  });

  it("the shipper is replaced by another worker with a higher epoch when it ends", () => {
    const [zero, one] = [worker(0), worker(1)];
    election.look([zero, one]);
    election.look([one]);
    expect(zero.heard).toEqual([{ type: "ship", epoch: 1 }]);
    expect(one.heard).toEqual([{ type: "ship", epoch: 2 }]);
  });

  it("the shipper receives a higher epoch from the next control process", () => {
    const zero = worker(0);
    election.look([zero]);
    const next = new ShipperElection(join(directory, "spool"));
    next.look([zero]);
    expect(zero.heard.at(-1)).toEqual({ type: "ship", epoch: 2 });
  });

  it("the shipper is elected again when the process that superseded it has ended", () => {
    const zero = worker(0);
    election.look([zero]);
    election.deserted();
    expect(zero.heard.at(-1)).toEqual({ type: "ship", epoch: 2 });
  });

  it("the shipper is elected as soon as the spool directory can be created", async () => {
    writeFileSync(join(directory, "spool"), "no directory");
    const zero = worker(0);
    election.look([zero]);
    expect(zero.heard).toEqual([]);
    rmSync(join(directory, "spool"));
    election.look([zero]);
    expect(zero.heard).toEqual([{ type: "ship", epoch: 1 }]);
  });
});
