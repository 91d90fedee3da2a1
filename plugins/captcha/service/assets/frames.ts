import { isIP } from "node:net";
import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { FrameConfiguration } from "../../widget/shared/configuration.js";
import { type Language, readLanguage } from "../../widget/shared/language.js";
import { isOwner, usableSiteKey } from "../api/sessions.js";
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
  const page = pageOf(request.headers.get("referer"));
  const id = query.get("id") ?? "";
  const shown: FrameConfiguration = {
    ...looks(query, key),
    siteKey: key?.id ?? "",
    hosts: key === undefined || key.hostnames.length === 0 ? null : key.hostnames,
    test: key !== undefined && testSiteKey(key.id) !== undefined,
    id: WIDGET_ID.test(id) ? id : "",
    ...(key?.operator != null && { operator: key.operator }),
    ...workers(manifest),
  };
  if (key === undefined)
    return frame("box", { ...shown, fault: "invalid_sitekey" }, ancestorsOfFault(page), manifest);
  if (page !== undefined && !isPageOf(page, key))
    return frame(
      "box",
      { ...shown, hosts: null, fault: "hostname_not_allowed" },
      ancestorsOfFault(page),
      manifest,
    );
  return frame("box", shown, ancestorsOf(key), manifest);
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
  const query = new URLSearchParams(request.query);
  const ref = query.get("s") ?? "";
  // Checked first: another browser that follows the address does not use the reference up.
  const session = REFERENCE.test(ref) ? textField(await states.get(`task-ref/${ref}`), "session") : undefined;
  const live = configuration();
  const record = session === undefined ? undefined : await states.get(`session/${session}`);
  const owner = { network: textField(record, "network") ?? "", family: textField(record, "family") ?? "" };
  const isOwn = isOwner(request, live, owner) && (await states.take(`task-ref/${ref}`)) !== undefined;
  // Not the address's key: this one decides which pages may embed the frame.
  const key = isOwn ? usableSiteKey(live, textField(record, "site_key") ?? "") : undefined;
  const page = pageOf(request.headers.get("referer"));
  const shown: FrameConfiguration = {
    ...looks(query, key),
    siteKey: key?.id ?? "",
    hosts: key === undefined || key.hostnames.length === 0 ? null : key.hostnames,
    test: key !== undefined && testSiteKey(key.id) !== undefined,
    ...workers(manifest),
  };
  if (session === undefined || key === undefined)
    return frame(
      "task",
      { ...shown, hosts: null, fault: "session_expired" },
      ancestorsOfFault(page),
      manifest,
    );
  if (page !== undefined && !isPageOf(page, key))
    return frame(
      "task",
      { ...shown, hosts: null, fault: "hostname_not_allowed" },
      ancestorsOfFault(page),
      manifest,
    );
  return frame("task", { ...shown, session }, ancestorsOf(key), manifest);
}

const workers = ({ files }: WidgetManifest): Pick<FrameConfiguration, "worker" | "memoryWorker"> => ({
  worker: `../../assets/${files["pow.js"].file}`,
  memoryWorker: `../../assets/${files["memory.js"].file}`,
});

function frame(
  which: "box" | "task",
  shown: FrameConfiguration,
  ancestors: readonly string[],
  manifest: WidgetManifest,
): CaptchaResponse {
  return { status: 200, headers: frameFields(ancestors), body: framePage(which, shown, manifest) };
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

function textField(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  const field: unknown = Reflect.get(value, name);
  return typeof field === "string" ? field : undefined;
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
function pageOf(referer: string | undefined): { origin: string; hostname: string } | undefined {
  const match = /^(https?:\/\/((?:[A-Za-z0-9.-]{1,255})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?)(?:\/|$)/.exec(
    referer ?? "",
  );
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { origin: match[1], hostname: match[2].toLowerCase() };
}

/** The requesting page, so that its developer sees the error (A51). */
function ancestorsOfFault(page: { origin: string } | undefined): string[] {
  // CSP cannot name IPv6 hosts; such a frame has nothing worth a click.
  return page === undefined || page.origin.includes("[") ? ["*"] : [page.origin];
}
