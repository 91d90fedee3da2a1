import type { Contradiction } from "../../service/score/model.js";

/** Read once, so that the rules below are plain functions. */
export interface Environment {
  userAgent: string;
  platform: string;
  /** Undefined in browsers without client hints. */
  hintsPlatform: string | undefined;
  hasChromeObject: boolean;
  productSub: string;
  /** `eval.toString().length` */
  evalLength: number;
  languages: number;
  /** WebGL; "" if it is not available. */
  renderer: string;
  touchPoints: number;
  plugins: number;
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
