import type { Contradiction } from "../../service/score/model.js";

interface Extras {
  /** Undefined in browsers without client hints. */
  userAgentData?: { platform?: string };
}

export type Environment = ReturnType<typeof readEnvironment>;

/**
 * Read once, so that the rules below are plain functions. No property identifies a person: no fonts, no
 * canvas, no list of devices.
 */
export const readEnvironment = () => ({
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
});

/** WebGL; "" if it is not available. */
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

type Engine = "chromium" | "gecko" | "webkit" | undefined;

/** Group B (reference 3.2). Weak by themselves: extensions, remote desktops and Tor cause some of them. */
export function findContradictions(seen: Environment): Contradiction[] {
  const engine = engineOf(seen.userAgent);
  const mobile = /Android|iPhone|iPad|iPod|Mobile/.test(seen.userAgent);
  const webView = /; wv\)|iPhone|iPad|iPod/.test(seen.userAgent);
  const rules: Record<Contradiction, boolean> = {
    platform: !fits(seen.userAgent, seen.platform),
    client_hints_platform: seen.hintsPlatform !== undefined && !fits(seen.userAgent, seen.hintsPlatform),
    no_chrome_object: engine === "chromium" && !webView && !seen.hasChromeObject,
    product_sub: engine !== undefined && seen.productSub !== (engine === "gecko" ? "20100101" : "20030107"),
    // 33 characters in Blink; 37 in Gecko and WebKit, which break the line.
    eval_length: engine !== undefined && seen.evalLength !== (engine === "chromium" ? 33 : 37),
    no_languages: seen.languages === 0,
    software_renderer: /swiftshader|llvmpipe|softpipe|software|microsoft basic render/i.test(seen.renderer),
    no_touch_points: /Android|iPhone|iPad|iPod/.test(seen.userAgent) && seen.touchPoints === 0,
    no_plugins: engine === "chromium" && !mobile && seen.plugins === 0,
  };
  return (Object.keys(rules) as Contradiction[]).filter((name) => rules[name]);
}

function engineOf(userAgent: string): Engine {
  if (/Chrome\/|CriOS\//.test(userAgent)) return /CriOS/.test(userAgent) ? "webkit" : "chromium";
  if (/Gecko\/\d/.test(userAgent)) return "gecko";
  return /AppleWebKit\//.test(userAgent) ? "webkit" : undefined;
}

/** Names in UAs and platforms; an unknown platform contradicts nothing. */
const SYSTEMS: readonly [agent: RegExp, platform: RegExp][] = [
  [/Windows/, /^Win/],
  [/Android/, /^(?:Android|Linux)/],
  [/CrOS/, /^(?:Chrome OS|ChromiumOS|Linux)/],
  // iPads request desktop pages as a Mac.
  [/iPhone|iPad|iPod|Mac OS X/, /^(?:Mac|iPhone|iPad|iPod|iOS)/],
  [/Linux|X11/, /^(?:Linux|FreeBSD|OpenBSD|X11)/],
];

function fits(userAgent: string, platform: string): boolean {
  if (platform === "" || platform === "Unknown") return true;
  const system = SYSTEMS.find(([agent]) => agent.test(userAgent));
  return system === undefined || system[1].test(platform);
}
