import type { Span } from "../diagnostics/diagnostic.js";
import type { Path } from "../parse/source.js";
import type { Origin } from "./plan.js";

/** What an admin body is called in spans: "PUT /gw/admin/routes/1" while it is written, "admin routes/1" once stored. */
const ADMIN = /^(?:[A-Z]+ \/gw\/admin\/|admin )(.+)$/;

/**
 * Address of a part of the configuration: "shop.yaml:31:9"; for a resource of the store, which has no lines that
 * anybody can open, "admin routes/1 plugins.proxy-rewrite".
 */
export function originOf(span: Span, path: Path = []): Origin {
  const admin = ADMIN.exec(span.file);
  if (admin === null) return `${span.file}:${span.start.line}:${span.start.column}`;
  return path.length === 0 ? `admin ${admin[1]}` : `admin ${admin[1]} ${path.join(".")}`;
}

/** The place that an origin names, for findings about a plan; of what is stored, its beginning. */
export function spanOf(origin: Origin): Span {
  const [, file, line, column] = /^(.*):(\d+):(\d+)$/s.exec(origin) ?? [];
  const start = { line: Number(line ?? 1), column: Number(column ?? 1) };
  return { file: file ?? origin, start, end: start };
}
