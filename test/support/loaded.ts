import "../../plugins/runtime.js";
import type { Artifact } from "../../runtime/abi/generation.js";
import type { LiveGeneration } from "../../runtime/proxy/host/contract.js";
import { hostedGenerations } from "./hosted-generations.js";

/** Loads an artifact as the live generation of a process. */
export function loaded(artifact: Artifact): LiveGeneration {
  const generations = hostedGenerations({ environment: {} });
  generations.start(1, artifact);
  return generations.live;
}
