import {
  type Diagnostic,
  diagnostic,
  type RouteGuarantees,
  type Span,
  type Text,
  type TextPart,
} from "../../compiler/plugin-api.js";
import type { LocationTemplate } from "./location.js";

/** Variables for the requested host, and those that no request decides. */
const REQUEST_HOST_VARIABLES = /^(?:scheme|host|hostname|http_host|server_addr|server_port)$/;
/** Rest of a domain behind a variable, whose value only chooses a name below it. */
const DOMAIN = /^[A-Za-z0-9-]*\.([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)\.?(?::\d+)?$/;
/**
 * Domains below which anybody can register a name: single labels except those for private use (RFC 6761, RFC
 * 8375), and the likes of co.uk.
 */
const OPEN =
  /^(?!(?:internal|local|localhost|test|example|invalid|lan)$)[^.]+$|^(?:ac|co|com|edu|gov|net|or|org)\.[a-z]{2}$/i;
/** Host with 0 for each variable: a digit is valid in names, addresses and ports. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9\-._~]+)(?::\d+)?$/;

export function reportHost(
  { origin, target }: LocationTemplate,
  at: Span,
  report: (finding: Diagnostic) => void,
): void {
  const [first, second] = origin ?? target.path;
  if (origin === null) {
    if (
      first !== undefined &&
      !("literal" in first) &&
      second &&
      "literal" in second &&
      /^:\/\//.test(second.literal)
    )
      report(diagnostic("GW4335", at, { scheme: spelledPart(first) }));
    return;
  }
  const hostOf = (spell: (part: TextPart) => string) =>
    origin
      .map(spell)
      .join("")
      .replace(/^[^/]*\/\//, "");
  if (!HOST.test(hostOf((part) => ("literal" in part ? part.literal : "0")))) {
    const [next] = target.path;
    const cut = next !== undefined && !("literal" in next) ? next : undefined;
    const host = Buffer.from(`${hostOf(spelledPart)}${cut ? spelledPart(cut) : ""}`, "latin1").toString(
      "utf8",
    );
    const help = cut && {
      help: `${spelledPart(cut)} begins the path there: write the host out, and what a capture or a path brings behind it`,
    };
    report(diagnostic("GW4333", at, { host }, help ?? {}));
    return;
  }
  const last = origin.at(-1);
  const domain = last && "literal" in last ? DOMAIN.exec(last.literal)?.[1] : undefined;
  if (domain !== undefined && !OPEN.test(domain)) return;
  const chosen = origin.find((part) => "variable" in part && !REQUEST_HOST_VARIABLES.test(part.variable));
  if (chosen && "variable" in chosen) report(diagnostic("GW4332", at, { name: chosen.variable }));
}

/** A client that follows comes back with the same path to the same host and matches the same route. */
export function leadsToItself(
  to: LocationTemplate,
  known: RouteGuarantees | undefined,
  hasTls: boolean,
): boolean {
  if (known === undefined || known.vars || to.target.query !== null) return false;
  // After 303, and in browsers after 301 and 302 too, a POST comes back as a GET.
  if (known.methods.length > 0 && !known.methods.includes("GET")) return false;
  if (to.origin !== null && !isAsked(to.origin, hasTls)) return false;
  const [only, ...more] = to.target.path;
  if (only === undefined || more.length > 0) return false;
  if (!("literal" in only)) return "variable" in only && only.variable === "uri";
  return known.uris.includes(only.literal) && !/[*:]/.test(only.literal);
}

/** `$scheme://$host` with or without the requested port, or `https://$host` if clients use TLS. */
function isAsked(origin: Text, hasTls: boolean): boolean {
  const spelled = origin.map(spelledPart).join("");
  const [, scheme] = /^(\$scheme|https):\/\/\$(?:host|hostname|http_host)$/.exec(spelled) ?? [];
  return scheme === "$scheme" || (scheme === "https" && hasTls);
}

const spelledPart = (part: TextPart): string =>
  "literal" in part ? part.literal : `$${"variable" in part ? part.variable : part.capture}`;
