import { type Headers, trimBlanks } from "../../../../runtime/abi/plugin-api.js";
import type { SignalCode } from "./model.js";
import { type UserAgent, userAgentOf } from "./user-agent.js";

const FETCH_METADATA_SINCE: Readonly<Partial<Record<UserAgent["engine"], number>>> = {
  chromium: 80,
  gecko: 90,
};
/** Safari's own version; other browsers on iOS have numbers of their own. */
const SAFARI_FETCH_METADATA_SINCE = 17;
/** First Chromium that sends `Sec-CH-UA`. */
const CLIENT_HINTS_SINCE = 89;

/** A script in our own frame calls our own API. */
const EXPECTED = { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "empty" } as const;

/**
 * Group F (captcha reference section 3.3): compares a request with its UA. Headers that proxies add are no
 * evidence (W6), nor are missing ones that the UA does not guarantee.
 * @param secure URL is https or loopback: elsewhere browsers send neither Fetch Metadata nor client hints
 * @param changed the UA differs from that of the request that began the session (A46)
 */
export function requestEvidence(
  headers: Headers,
  { secure, changed }: { secure: boolean; changed: boolean },
): SignalCode[] {
  const text = headers.get("User-Agent");
  const found: SignalCode[] = [];
  if (text === undefined || text === "") found.push("no_user_agent");
  const language = headers.get("Accept-Language");
  if (language === undefined || trimBlanks(language) === "*") found.push("no_accept_language");
  if (changed) found.push("user_agent_changed");
  if (!secure) return found;
  const userAgent = userAgentOf(text);
  return [...found, ...fetchMetadata(headers, userAgent), ...clientHints(headers, userAgent)];
}

function fetchMetadata(headers: Headers, userAgent: UserAgent): SignalCode[] {
  const names = ["Sec-Fetch-Site", "Sec-Fetch-Dest"] as const;
  const present = names.filter((name) => headers.has(name));
  if (present.length === 0) return sendsFetchMetadata(userAgent) ? ["no_sec_fetch"] : [];
  const right = names.every((name) => headers.get(name) === EXPECTED[name]);
  return right ? [] : ["wrong_sec_fetch"];
}

function sendsFetchMetadata({ engine, family, major }: UserAgent): boolean {
  if (engine === "webkit") return family === "Safari" && Number(major) >= SAFARI_FETCH_METADATA_SINCE;
  const since = FETCH_METADATA_SINCE[engine];
  return since !== undefined && Number(major) >= versionOf(family, since);
}

/** Opera, Yandex and Samsung have their own version numbers, and those in use are all newer. */
const versionOf = (family: string, since: number): number =>
  family === "Chrome" || family === "Edge" || family === "Firefox" ? since : 0;

function clientHints(headers: Headers, { engine, family, major, platform }: UserAgent): SignalCode[] {
  const brands = headers.get("Sec-CH-UA");
  const hinted = headers.get("Sec-CH-UA-Platform");
  if (engine !== "chromium") {
    // Gecko and WebKit send none.
    return brands === undefined && hinted === undefined ? [] : ["client_hints"];
  }
  if (brands === undefined) {
    const promised = Number(major) >= versionOf(family, CLIENT_HINTS_SINCE);
    return promised ? ["no_client_hints"] : [];
  }
  const found: SignalCode[] = [];
  if (/Headless/i.test(brands)) found.push("headless_ua");
  if (!brands.includes('"Chromium"') || !sameVersion(brands, family, major)) found.push("client_hints");
  if (hinted !== undefined && !samePlatform(hinted, platform)) found.push("client_hints");
  return found;
}

/** `"Chromium";v="140", "Google Chrome";v="140"` against Chrome/140 of the UA. */
function sameVersion(brands: string, family: string, major: string): boolean {
  if (family !== "Chrome" && family !== "Edge") return true;
  const version = /"Chromium";[ \t]?v="(\d{1,4})/.exec(brands)?.[1];
  return version === undefined || version === major;
}

function samePlatform(hinted: string, platform: UserAgent["platform"]): boolean {
  const name = hinted.replaceAll('"', "");
  if (name === "" || platform === "other") return true;
  // ChromeOS has "X11; CrOS" in its UA; a browser that requests the desktop page on Android says Linux.
  if (platform === "Linux")
    return name === "Linux" || name === "Android" || /^Chrom(?:e|ium) ?OS$/.test(name);
  return name === platform;
}
