import type { WidgetError } from "../../service/protocol.js";
import { type Language, readLanguage } from "../shared/language.js";
import { isFieldName } from "./names.js";

export type CallbackKind = "callback" | "error-callback" | "expired-callback";
/** Name of a global function, or the function itself if a script renders the widget. */
export type CallbackSetting = string | ((...values: never[]) => unknown);

export interface WidgetOptions {
  siteKey: string;
  language: Language;
  /** "": the site key's. */
  theme: "auto" | "light" | "dark" | "";
  /** "invisible": no box; the page's script calls `execute`. */
  size: "normal" | "compact" | "invisible";
  action: string | undefined;
  /** Hidden field; undefined: no field (C10). */
  field: string | undefined;
  callbacks: Record<CallbackKind, CallbackSetting | null>;
}

export interface ReadOptions {
  options: WidgetOptions;
  /** First fault that prevents the widget. */
  fault: WidgetError | undefined;
  /** Ignored settings, for the console. */
  warnings: string[];
}

const SITE_KEY = /^[A-Za-z0-9_-]{8,64}$/;

/** Spec, "Container element". @param read value of `data-<name>`, null if absent */
export function readOptions(
  read: (name: string) => CallbackSetting | null,
  isFormProperty: (name: string) => boolean,
): ReadOptions {
  const setting = (name: string): CallbackSetting | null => {
    const value = read(name);
    return typeof value === "string" ? value.trim() : value;
  };
  const text = (name: string): string | undefined => {
    const value = setting(name);
    return typeof value === "string" ? value : undefined;
  };
  /** Unknown words count as absent. */
  const word = <T extends string>(name: string, words: RegExp): T | undefined =>
    words.exec(text(name) ?? "")?.[0] as T | undefined;
  const warnings: string[] = [];
  const language = readLanguage(text("language"));
  if (language === undefined) warnings.push("data-language: only ru, en");
  const [first, alias] = [setting("callback"), setting("success-callback")];
  if (first && alias) warnings.push("data-success-callback: ignored");
  const flag = text("response-field");
  const options: WidgetOptions = {
    siteKey: text("sitekey") ?? "",
    language: language ?? "ru",
    theme: word("theme", /^(?:auto|light|dark)$/) ?? "",
    size: word("size", /^(?:compact|invisible)$/) ?? "normal",
    action: word("action", /^[\w-]{1,32}$/),
    // "false" has its usual meaning (H15); the flag needs no value.
    field:
      flag === undefined || flag.toLowerCase() === "false"
        ? undefined
        : (read("response-field-name") ?? "captcha-token").toString(),
    callbacks: {
      // The first takes precedence over its alias (H1).
      callback: first || alias,
      "error-callback": setting("error-callback"),
      "expired-callback": setting("expired-callback"),
    },
  };
  return { options, fault: faultOf(options, isFormProperty), warnings };
}

function faultOf(
  { siteKey, field, callbacks, size }: WidgetOptions,
  isFormProperty: (name: string) => boolean,
): WidgetError | undefined {
  if (siteKey === "") return "missing_sitekey";
  if (!SITE_KEY.test(siteKey)) return "invalid_sitekey";
  // Without a box the promise of `execute` is a target, too.
  if (field === undefined && !callbacks.callback && size !== "invisible") return "missing_response_target";
  if (field !== undefined && !isFieldName(field, isFormProperty)) return "invalid_response_field_name";
  return undefined;
}
