import { expect, it } from "vitest";
import type { ControlCompiler } from "../../../runtime/control/compiler.js";
import type { Configuration } from "../../../runtime/control/configuration.js";
import { ConfigurationFiles } from "../../../runtime/control/configuration-files.js";
import { type Reloaded, refused } from "../../../runtime/control/reloaded.js";
import type { SavedGenerations } from "../../../runtime/control/saved-generations.js";
import { GenerationContent } from "../../../runtime/process/generation-log.js";
import { switchLog } from "../../../runtime/process/log.js";

switchLog(false);

const TAKEN = { ok: true, reason: "", report: "", diagnostics: [], settings: {}, inputs: "new" } as never;
const REFUSED = refused("broken");

/** Files whose reloads end as given, under a policy that `policies` has at each read. */
function filesUnder(policies: string[], reload: () => Promise<Reloaded>) {
  const content = new GenerationContent();
  content.policy = "before";
  const notes: (string | undefined)[] = [];
  const files = new ConfigurationFiles({
    origin: { kind: "files", paths: [], directory: "/" },
    compiler: { policy: () => policies.shift() } as Partial<ControlCompiler> as ControlCompiler,
    configuration: { reload } as unknown as Configuration,
    saved: { content } as SavedGenerations,
    environment: {},
    apply: () => {},
    compiledFrom(_inputs, policy) {
      content.policy = policy;
      notes.push(policy);
    },
  });
  return { files, notes };
}

it("a reload is noted with the policy that judged it, and with none while that may change", async () => {
  const { files, notes } = filesUnder(["after", "after"], async () => TAKEN);
  await files.reload();
  expect(notes).toEqual([undefined, "after"]);
});

it("the policy stays noted through a reload that it judges again", async () => {
  const { files, notes } = filesUnder(["before", "before"], async () => TAKEN);
  await files.reload();
  expect(notes).toEqual(["before", "before"]);
});

it("a reload while the policy changes is noted with none", async () => {
  const { files, notes } = filesUnder(["before", "after"], async () => TAKEN);
  await files.reload();
  expect(notes).toEqual(["before", undefined]);
});

it("a reload that is refused leaves the policy of before, also one that another overtakes", async () => {
  let refuse = (_: Reloaded): void => {};
  const first = new Promise<Reloaded>((resolve) => {
    refuse = resolve;
  });
  const outcomes = [first, Promise.resolve<Reloaded>(TAKEN)];
  const { files, notes } = filesUnder(["after", "after", "after"], async () => outcomes.shift() ?? REFUSED);
  const both = [files.reload(), files.reload()];
  refuse(REFUSED);
  expect(await Promise.all(both)).toEqual([false, true]);
  expect(notes).toEqual([undefined, "before", undefined, "after"]);
});
