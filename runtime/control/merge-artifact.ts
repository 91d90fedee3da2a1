import { joinedCaptcha } from "../abi/captcha.js";
import type { Artifact } from "../abi/generation.js";

/** A build with what the store adds to it. */
export function mergeArtifacts(built: Artifact, stored: Artifact | undefined): Artifact {
  if (!stored) return built;
  return {
    ...built,
    planHash: `${built.planHash}+${stored.planHash}`,
    routes: [...built.routes, ...stored.routes],
    upstreams: [...built.upstreams, ...stored.upstreams],
    globalRules: [...built.globalRules, ...stored.globalRules],
    pluginMetadata: [...built.pluginMetadata, ...stored.pluginMetadata],
    ...((built.captcha || stored.captcha) && { captcha: joinedCaptcha(built.captcha, stored.captcha) }),
    modules: [...built.modules, ...stored.modules],
  };
}
