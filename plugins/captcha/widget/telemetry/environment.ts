import type { Environment } from "./contradictions.js";

interface Extras {
  userAgentData?: { platform?: string };
}

/** No property identifies a person: no fonts, no canvas, no list of devices. */
export function readEnvironment(): Environment {
  return {
    userAgent: navigator.userAgent,
    platform: navigator.platform ?? "",
    hintsPlatform: (navigator as Extras).userAgentData?.platform,
    hasChromeObject: "chrome" in globalThis,
    productSub: navigator.productSub ?? "",
    // The text of the function only; nothing is evaluated.
    evalLength: String(Reflect.get(globalThis, "eval")).length,
    languages: navigator.languages?.length ?? 0,
    renderer: rendererName(),
    touchPoints: navigator.maxTouchPoints ?? 0,
    plugins: navigator.plugins?.length ?? 0,
  };
}

function rendererName(): string {
  try {
    const context = document.createElement("canvas").getContext("webgl");
    const extension = context?.getExtension("WEBGL_debug_renderer_info");
    const name: unknown = extension && context?.getParameter(extension.UNMASKED_RENDERER_WEBGL);
    context?.getExtension("WEBGL_lose_context")?.loseContext();
    return typeof name === "string" ? name : "";
  } catch {
    return "";
  }
}
