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

describe("the worker that ships the spools", () => {
  it("is the first that serves, and stays it while others come and go", () => {
    const [zero, one] = [worker(0), worker(1)];
    election.look([worker(0, 0), one]);
    expect(one.heard).toEqual([{ type: "ship", epoch: 1 }]);
    election.look([zero, one]);
    election.look([one]);
    expect(one.heard).toHaveLength(1);
    expect(zero.heard).toEqual([]);
  });

  it("is another one with a higher epoch once it is gone", () => {
    const [zero, one] = [worker(0), worker(1)];
    election.look([zero, one]);
    election.look([one]);
    expect(zero.heard).toEqual([{ type: "ship", epoch: 1 }]);
    expect(one.heard).toEqual([{ type: "ship", epoch: 2 }]);
  });

  it("is elected anew by the next control, whose epoch is higher", () => {
    const zero = worker(0);
    election.look([zero]);
    const next = new ShipperElection(join(directory, "spool"));
    next.look([zero]);
    expect(zero.heard.at(-1)).toEqual({ type: "ship", epoch: 2 });
  });

  it("is elected again when what had superseded it has ended", () => {
    const zero = worker(0);
    election.look([zero]);
    election.deserted();
    expect(zero.heard.at(-1)).toEqual({ type: "ship", epoch: 2 });
  });

  it("is none while the spool directory cannot be made, and one as soon as it can", async () => {
    writeFileSync(join(directory, "spool"), "no directory");
    const zero = worker(0);
    election.look([zero]);
    expect(zero.heard).toEqual([]);
    rmSync(join(directory, "spool"));
    election.look([zero]);
    expect(zero.heard).toEqual([{ type: "ship", epoch: 1 }]);
  });
});
