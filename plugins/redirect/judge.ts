import type { Diagnostic, Span } from "../../compiler/diagnostics/diagnostic.js";
import { diagnostic } from "../../compiler/diagnostics/report.js";
import type { Text, TextPart } from "../../compiler/plan/plan.js";
import type { KnownRequest } from "../../compiler/plan/proven.js";
import type { LocationTemplate } from "./location.js";

/** The host that was asked, and what no request says. */
const TOLD = /^(?:scheme|host|hostname|http_host|server_addr|server_port)$/;
/** Behind a variable: the rest of a domain, so that the value only chooses a name below it. */
const DOMAIN = /^[A-Za-z0-9-]*\.[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.?(?::\d+)?$/;
const PIECE = /^[A-Za-z0-9\-._~:[\]]*$/;

/** Judges scheme and authority of a template. */
export function reportHost(origin: Text, at: Span, report: (finding: Diagnostic) => void): void {
  const written = origin.map((part) => ("literal" in part ? part.literal : "")).join("");
  const host = written.replace(/^(?:[A-Za-z][A-Za-z0-9+.-]*)?:?\/\//, "");
  const named = origin.some((part) => "variable" in part && part.variable !== "scheme");
  if (!PIECE.test(host) || (host === "" && !named)) {
    report(diagnostic("GW4333", at, { host: Buffer.from(host, "latin1").toString("utf8") }));
    return;
  }
  const last = origin.at(-1);
  if (last && "literal" in last && DOMAIN.test(last.literal)) return;
  const chosen = origin.find((part) => "variable" in part && !TOLD.test(part.variable));
  if (chosen && "variable" in chosen) report(diagnostic("GW4332", at, { name: chosen.variable }));
}

/** A client that follows comes back with the same path, to the same host, and nothing the route asks has changed. */
export function leadsToItself(to: LocationTemplate, known: KnownRequest | undefined): boolean {
  if (known === undefined || known.vars || to.target.query !== null) return false;
  // After 303, and in browsers after 301 and 302 too, a POST comes back as a GET.
  if (known.methods.length > 0 && !known.methods.includes("GET")) return false;
  if (to.origin !== null && !isAsked(to.origin)) return false;
  const [only, ...more] = to.target.path;
  if (only === undefined || more.length > 0) return false;
  if (!("literal" in only)) return "variable" in only && only.variable === "uri";
  return known.uris.includes(only.literal) && !/[*:]/.test(only.literal);
}

/** `$scheme://$host`, with or without the port that was asked. */
function isAsked(origin: Text): boolean {
  const spelled = origin.map(spelledPart).join("");
  return /^\$scheme:\/\/\$(?:host|hostname|http_host)$/.test(spelled);
}

const spelledPart = (part: TextPart) =>
  "literal" in part ? part.literal : "variable" in part ? `$${part.variable}` : "";
