import "../../plugins/runtime.js";
import type { Artifact } from "../../runtime/abi/generation.js";
import type { LiveGeneration } from "../../runtime/proxy/host/contract.js";
import { HostedGenerations } from "../../runtime/proxy/host/generations.js";

/** The artifact as the running generation of a process of its own. */
export function loaded(artifact: Artifact): LiveGeneration {
  const generations = new HostedGenerations({ environment: {} });
  generations.start(1, artifact);
  return generations.live;
}
