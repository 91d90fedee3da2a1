import { isIP } from "node:net";
import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { FrameConfiguration } from "../../widget/shared/configuration.js";
import { type Language, readLanguage } from "../../widget/shared/language.js";
import { isOwner, type SessionRecord, usableSiteKey } from "../api/sessions.js";
import type { CaptchaParts, CaptchaRequest, CaptchaResponse } from "../contract.js";
import { testSiteKey } from "../verify/test-keys.js";
import { isAllowedHostname } from "../verify/token-checks.js";
import { methodNotAllowed } from "./files.js";
import { frameFields } from "./headers.js";
import type { WidgetManifest } from "./manifest.js";

const TITLES = {
  box: { ru: "Проверка: я не робот", en: "Check: I am not a robot" },
  task: { ru: "Задание: подтвердите, что вы не робот", en: "Task: show that you are not a robot" },
} as const;

/** All that varies is data in the JSON block, so CSP needs no source for it. */
function framePage(
  frame: "box" | "task",
  configuration: FrameConfiguration,
  { files }: WidgetManifest,
): string {
  const { language, theme } = configuration;
  return `<!doctype html>
<html lang="${language}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${TITLES[frame][language]}</title>
<link rel="stylesheet" href="../../assets/${files[`${frame}.css`].file}">
<script type="application/json" id="configuration">${scriptJson(configuration)}</script>
<script src="../../assets/${files[`${frame}.js`].file}" defer></script>
</head>
<body></body>
</html>
`;
}

/** Cannot end its script element (HTML section 4.12.1.3). */
const scriptJson = (value: object): string => JSON.stringify(value).replace(/</g, "\\u003c");

export type FrameParts = Pick<CaptchaParts, "configuration" | "states">;

const REFERENCE = /^[A-Za-z0-9_-]{16,128}$/;
const WIDGET_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * `GET /f/v1/box?k=<site key>&hl=<language>&th=<theme>&id=<widget>`. An invalid key or page also gets a
 * frame: it tells the loader the error, which a rejected response could not name (A51, W13).
 */
export function boxFrame(
  request: CaptchaRequest,
  { configuration }: FrameParts,
  manifest: WidgetManifest,
): CaptchaResponse {
  if (request.method !== "GET" && request.method !== "HEAD") return methodNotAllowed();
  const query = new URLSearchParams(request.query);
  const key = usableSiteKey(configuration(), query.get("k") ?? "");
  const id = query.get("id") ?? "";
  const fault = faultOf(request, key, "invalid_sitekey");
  const own = { id: WIDGET_ID.test(id) ? id : "", ...(key?.operator != null && { operator: key.operator }) };
  return frame("box", request, key, { ...own, ...(fault && { fault }) }, manifest);
}

/** `GET /f/v1/task?s=<reference>&hl=<language>&th=<theme>`; the reference serves once. */
export async function taskFrame(
  request: CaptchaRequest,
  { configuration, states }: FrameParts,
  manifest: WidgetManifest,
): Promise<CaptchaResponse> {
  // HEAD would use up the reference.
  if (request.method !== "GET")
    return { ...methodNotAllowed(), headers: { Allow: "GET", "Cache-Control": "no-store" } };
  const ref = new URLSearchParams(request.query).get("s") ?? "";
  // Checked first: another browser that follows the address does not use the reference up.
  const known = REFERENCE.test(ref) ? await states.get(`task-ref/${ref}`) : undefined;
  const session = (known as { session: string } | undefined)?.session ?? "";
  const record = session && ((await states.get(`session/${session}`)) as SessionRecord | undefined);
  const live = configuration();
  const isOwn =
    record && isOwner(request, live, record) && (await states.take(`task-ref/${ref}`)) !== undefined;
  // Not the address's key: this one decides which pages may embed the frame.
  const key = isOwn ? usableSiteKey(live, record.site_key) : undefined;
  const fault = faultOf(request, key, "session_expired");
  return frame("task", request, key, fault === undefined ? { session } : { fault }, manifest);
}

/** @param missing the fault without a usable key */
function faultOf(
  request: CaptchaRequest,
  key: CaptchaSiteKey | undefined,
  missing: FrameConfiguration["fault"],
): FrameConfiguration["fault"] {
  if (key === undefined) return missing;
  const page = pageOf(request);
  return page === undefined || isPageOf(page, key) ? undefined : "hostname_not_allowed";
}

function frame(
  which: "box" | "task",
  request: CaptchaRequest,
  key: CaptchaSiteKey | undefined,
  own: Pick<FrameConfiguration, "id" | "operator" | "session" | "fault">,
  manifest: WidgetManifest,
): CaptchaResponse {
  const usable = own.fault === undefined ? key : undefined;
  const hostnames = usable?.hostnames ?? [];
  const configuration: FrameConfiguration = {
    ...looks(new URLSearchParams(request.query), key),
    siteKey: key?.id ?? "",
    hosts: hostnames.length === 0 ? null : hostnames,
    test: key !== undefined && testSiteKey(key.id) !== undefined,
    ...own,
    worker: `../../assets/${manifest.files["pow.js"].file}`,
    memoryWorker: `../../assets/${manifest.files["memory.js"].file}`,
  };
  const ancestors = usable === undefined ? ancestorsOfFault(pageOf(request)) : ancestorsOf(usable);
  return { status: 200, headers: frameFields(ancestors), body: framePage(which, configuration, manifest) };
}

const isPageOf = ({ hostname }: { hostname: string }, key: CaptchaSiteKey): boolean =>
  key.hostnames.length === 0 || isAllowedHostname(hostname, key.hostnames);

function looks(
  query: URLSearchParams,
  key: CaptchaSiteKey | undefined,
): Pick<FrameConfiguration, "language" | "theme"> {
  const asked = readLanguage(query.get("hl"));
  const languages: readonly Language[] = key?.languages ?? ["ru", "en"];
  const language = asked !== undefined && languages.includes(asked) ? asked : (languages[0] ?? "ru");
  const theme = query.get("th");
  return {
    language,
    theme: theme === "light" || theme === "dark" || theme === "auto" ? theme : (key?.theme ?? "auto"),
  };
}

/**
 * Sources for `frame-ancestors` from the hosts of a key, including subdomains: every port, since a key's
 * hosts have none, and both schemes for pages in development. Browsers check every page around the frame, so
 * the hosts that may embed a form are included. The frames check that the page around the widget is one of
 * `hostnames`.
 * @returns ["*"] for a test key, which every page may use, and for a key with an IPv6 host. CSP cannot name
 *   such a host (CSP3 section 2.3.1), so only the frame itself and the service check the page
 */
export function ancestorsOf({
  hostnames,
  embedHosts,
}: Pick<CaptchaSiteKey, "hostnames" | "embedHosts">): string[] {
  if (hostnames.length === 0 || hostnames.some((host) => host.includes(":"))) return ["*"];
  return [...hostnames, ...embedHosts].flatMap((host) => {
    const own = [`http://${host}:*`, `https://${host}:*`];
    return isIP(host) !== 0 ? own : [...own, `http://*.${host}:*`, `https://*.${host}:*`];
  });
}

/** Page around the frame, by the Referer that the loader sets to its origin. */
function pageOf({ headers }: CaptchaRequest): { origin: string; hostname: string } | undefined {
  const [, origin, hostname] =
    /^(https?:\/\/((?:[A-Za-z0-9.-]{1,255})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?)(?:\/|$)/.exec(
      headers.get("referer") ?? "",
    ) ?? [];
  return origin === undefined || hostname === undefined
    ? undefined
    : { origin, hostname: hostname.toLowerCase() };
}

/** The requesting page, so that its developer sees the error (A51). */
function ancestorsOfFault(page: { origin: string } | undefined): string[] {
  // CSP cannot name IPv6 hosts; such a frame has nothing worth a click.
  return page === undefined || page.origin.includes("[") ? ["*"] : [page.origin];
}
