/** Pages of plugins import only this file and `plugin-page.ts`. */
import { lazyPart } from "./api/fetched-code";

export { AdminError, callAdmin, ifFound } from "./api/client";
export { deletionOf } from "./api/history";
export {
  changeOf,
  idOf,
  type Listed,
  type Resource,
  schemaQuery,
  type Value,
  type WriteAnswer,
} from "./api/resources";
export { useWriteRefusal } from "./api/session";
export { useAddressSoon } from "./app/address-soon";
export { useQuestion } from "./app/question";
export { Conflict } from "./editor/conflict";
export { DiagnosticsPanel } from "./editor/diagnostics-panel";
export { editable } from "./editor/draft";
export { useDryRun } from "./editor/draft-queries";
export { useLive } from "./editor/live";
export { notifyFailure, Rejection } from "./editor/rejection";
export type { Schema } from "./forms/schema";
export type { UnreadableField } from "./forms/unreadable-fields";
export { DataTable, Dimmed, LoadFailed, Pending } from "./pages/elements";
export { exactly, fromNow } from "./pages/formats";

/** Form of a schema; its code is loaded when it is first shown. */
export const SchemaForm = lazyPart(async () => (await import("./forms/schema-form")).SchemaForm);
export const Sparkline = lazyPart(async () => (await import("./pages/sparkline")).Sparkline);
