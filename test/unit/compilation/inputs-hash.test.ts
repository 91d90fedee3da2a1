import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { policyHash } from "../../../compiler/policy/policy-file.js";
import type { ReadFiles } from "../../../compiler/thread/compiler-rpc.js";
import { inputsHash } from "../../../compiler/thread/inputs-hash.js";

const files = (over: Partial<ReadFiles> = {}): ReadFiles => ({
  sources: [{ name: "gateway.yaml", text: "routes: [{ uri: ${{URI}} }]", format: "yaml" }],
  faults: [],
  environment: { URI: "/a", OTHER: "1" },
  ...over,
});
const changed = (over: Partial<ReadFiles>, stored: { value: unknown }[] = []) =>
  inputsHash(files(over), stored) !== inputsHash(files(), stored);

it("the inputs hash covers the texts, the policy and the variables that they name", () => {
  expect(changed({})).toBe(false);
  expect(changed({ sources: [{ name: "gateway.yaml", text: "routes: []", format: "yaml" }] })).toBe(true);
  expect(changed({ policy: { name: "policy.yaml", text: "", format: "yaml" } })).toBe(true);
  expect(changed({ environment: { URI: "/b", OTHER: "1" } })).toBe(true);
  expect(changed({ environment: { OTHER: "1" } })).toBe(true);
});

it("a variable that no text names does not change the inputs hash", () => {
  expect(changed({ environment: { URI: "/a", OTHER: "2", INVOCATION_ID: "x" } })).toBe(false);
  expect(changed({ environment: { URI: "/a", OTHER: "2" } }, [{ value: { uri: "${{OTHER}}" } }])).toBe(true);
});

it("files that cannot be read have no inputs hash", () => {
  const faults = [{}] as ReadFiles["faults"];
  expect(inputsHash(files({ faults }), [])).toBeUndefined();
});

it("the hash of a policy is the SHA-256 of its text, whatever its name", () => {
  const sha256 = createHash("sha256").update("plugins: {}").digest("hex");
  for (const name of ["a.yaml", "b.yaml"])
    expect(policyHash({ name, text: "plugins: {}", format: "yaml" })).toBe(sha256);
  expect(policyHash(undefined)).toBeUndefined();
});
