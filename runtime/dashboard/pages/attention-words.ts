import i18next from "i18next";
import type { Attention } from "../api/overview";
import { errorWords } from "./error-words";
import { exactly } from "./times";

/** Text in the language of the page if the kind has a translation, else the text of the gateway. */
export function textOf({ kind, text, values: given }: Attention): string {
  const values = { ...given } as Record<string, string | number>;
  if (typeof values["error"] === "string") values["error"] = errorWords(values["error"]);
  if (kind === "reload_refused") values["at"] = exactly(String(values["at"]), i18next.language);
  if (typeof values["percent"] === "number")
    values["percent"] = new Intl.NumberFormat(i18next.language).format(values["percent"]);
  if (kind === "findings") values["counts"] = countsOf(values);
  const count = Number(values["days"] ?? values["entries"] ?? 0);
  const key = `attention.${kind}${variantOf(kind, values, count)}`;
  const isKnown = i18next.exists(key, { count });
  return isKnown ? i18next.t(key as "attention.node_out", { ...values, count }) : text;
}

function variantOf(kind: string, values: Record<string, unknown>, count: number): string {
  if (kind === "certificate_expires" && count < 0) return ".expired";
  return kind === "server_errors" && values["route"] !== undefined ? ".of_route" : "";
}

/** One sentence. Without a translation it has the first item, and the number of the others. */
export function groupText(first: Attention): string {
  const { kind, of: count } = first;
  const key = `attention.several.${kind}`;
  if (i18next.exists(key, { count })) return i18next.t(key as "attention.several.node_out", { count });
  return i18next.t("attention.several", { first: textOf(first), count: count - 1 });
}

function countsOf({ errors, warnings }: Record<string, string | number>): string {
  const counted = (what: "errors" | "warnings", count: number) =>
    count === 0 ? [] : [i18next.t(`attention.findings_${what}`, { count })];
  return [...counted("errors", Number(errors)), ...counted("warnings", Number(warnings))].join(", ");
}

export function actionOf({ kind, action }: Attention): string {
  const key = `attention.do.${kind}`;
  return i18next.exists(key) ? i18next.t(key as "attention.do.findings") : action;
}
