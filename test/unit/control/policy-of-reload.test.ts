import { expect, it } from "vitest";
import { CompilerDiedError } from "../../../runtime/abi/compiler-died-error.js";
import type { Configuration } from "../../../runtime/control/configuration.js";
import { ConfigurationFiles } from "../../../runtime/control/configuration-files.js";
import { samePolicy } from "../../../runtime/control/first-generation.js";
import type { GenerationStore } from "../../../runtime/control/generation-store.js";
import { type Reloaded, rejectedReload } from "../../../runtime/control/reloaded.js";
import { GenerationContent } from "../../../runtime/process/generation-log.js";
import { switchLog } from "../../../runtime/process/log.js";

switchLog(false);

const taken = (policy: string) =>
  ({ ok: true, reason: "", report: "", diagnostics: [], settings: {}, inputs: "new", policy }) as never;
const REFUSED = rejectedReload("broken");

/** Configuration files whose reloads and adoptions end with the outcome of `take`. */
function filesThat(take: (content: GenerationContent) => Promise<Reloaded>) {
  const content = new GenerationContent();
  content.inputs = "old";
  content.policy = "before";
  const notes: (string | undefined)[][] = [];
  const taking = () => take(content);
  const files = new ConfigurationFiles({
    origin: { kind: "files", paths: [], directory: "/" },
    compiler: null,
    configuration: { apply: taking } as unknown as Configuration,
    saved: { content } as GenerationStore,
    environment: {},
    apply: () => {},
    compiledFrom(inputs, policy) {
      Object.assign(content, { inputs, policy });
      notes.push([inputs, policy]);
    },
  });
  return { files, notes };
}

const NONE = [undefined, undefined];
const BEFORE = ["old", "before"];

it("a reload notes the policy that it was compiled with, and none while it runs", async () => {
  for (const policy of ["after", "before"]) {
    const { files, notes } = filesThat(async () => taken(policy));
    await files.reload();
    expect(notes).toEqual([NONE, ["new", policy]]);
  }
});

it("an adoption notes its policy like a reload, and a dry run of it notes nothing", async () => {
  const { files, notes } = filesThat(async () => taken("after"));
  const name = { kind: "routes", id: "a", origin: {} } as never;
  await files.adopt(name, true);
  expect(notes).toEqual([]);
  await files.adopt(name, false);
  expect(notes).toEqual([NONE, ["new", "after"]]);
});

it("a rejected reload restores the previous policy, even if another reload follows at once", async () => {
  let refuse = (_: Reloaded): void => {};
  const first = new Promise<Reloaded>((resolve) => {
    refuse = resolve;
  });
  const outcomes = [first, Promise.resolve<Reloaded>(taken("after"))];
  const { files, notes } = filesThat(async () => outcomes.shift() ?? REFUSED);
  const both = [files.reload(), files.reload()];
  refuse(REFUSED);
  expect(await Promise.all(both)).toEqual([false, true]);
  expect(notes).toEqual([NONE, BEFORE, NONE, ["new", "after"]]);
});

it("a reload in which the compiler dies restores the previous note unless it may have been published", async () => {
  const died = () => Promise.reject(new CompilerDiedError("out of memory"));
  const unpublished = filesThat(died);
  expect(await unpublished.files.reload()).toBe(false);
  expect(unpublished.notes).toEqual([NONE, BEFORE]);
  const published = filesThat((content) => {
    content.number += 1;
    return died();
  });
  expect(await published.files.reload()).toBe(false);
  expect(published.notes).toEqual([NONE]);
});

it("a build and its overlay have the policy of either, and none if their policies differ", () => {
  expect(samePolicy("a", "a")).toBe("a");
  expect(samePolicy("a", "b")).toBeUndefined();
  expect(samePolicy("a", undefined)).toBe("a");
  expect(samePolicy(undefined, undefined)).toBeUndefined();
});
