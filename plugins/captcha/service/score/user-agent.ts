export interface UserAgent {
  /** "Chrome", "Edge", "Opera", "Yandex", "Samsung", "Firefox", "Safari", or "other". */
  family: string;
  /** Empty if there is none. */
  major: string;
  engine: "chromium" | "gecko" | "webkit" | "other";
  platform: "Windows" | "macOS" | "iOS" | "Android" | "Linux" | "other";
}

/** In this order: each of these UAs also contains the words of those below it. */
const FAMILIES: readonly (readonly [string, RegExp])[] = [
  ["Edge", /\b(?:Edg|EdgA|EdgiOS)\/(\d{1,4})/],
  ["Opera", /\bOPR\/(\d{1,4})/],
  ["Yandex", /\bYaBrowser\/(\d{1,4})/],
  ["Samsung", /\bSamsungBrowser\/(\d{1,4})/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d{1,4})/],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\/(\d{1,4})/],
  ["Safari", /\bVersion\/(\d{1,4})[^)]*\bSafari\//],
];

const PLATFORMS: readonly (readonly [UserAgent["platform"], RegExp])[] = [
  ["Windows", /\bWindows NT\b/],
  ["iOS", /\b(?:iPhone|iPad|iPod)\b/],
  ["macOS", /\bMacintosh\b/],
  ["Android", /\bAndroid\b/],
  ["Linux", /\b(?:Linux|X11|CrOS)\b/],
];

/** @param text only its first 512 characters are read */
export function userAgentOf(text: string | undefined): UserAgent {
  const ua = (text ?? "").slice(0, 512);
  const platform = PLATFORMS.find(([, pattern]) => pattern.test(ua))?.[0] ?? "other";
  for (const [family, pattern] of FAMILIES) {
    const found = pattern.exec(ua);
    if (found) return { family, major: found[1] ?? "", engine: engineOf(ua, platform), platform };
  }
  return { family: "other", major: "", engine: engineOf(ua, platform), platform };
}

export const browserText = ({ family, major }: UserAgent): string =>
  major === "" ? family : `${family} ${major}`;

/** On iOS every browser is WebKit, whatever its name. */
function engineOf(ua: string, platform: UserAgent["platform"]): UserAgent["engine"] {
  if (platform === "iOS") return "webkit";
  if (/\b(?:Headless)?Chrome\//.test(ua)) return "chromium";
  if (/\bFirefox\//.test(ua)) return "gecko";
  return /\bAppleWebKit\//.test(ua) ? "webkit" : "other";
}
