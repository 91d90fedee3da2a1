import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { isMap, isScalar, parseDocument } from "yaml";
import type { Fix } from "../api/client";
import type { Value } from "../api/resources";
import { type Draft, textOf, typed } from "./draft";

type Path = Fix["path"];

/** Returns the same draft if the part to fix no longer exists. */
export function fixedDraft(draft: Draft, fix: Fix): Draft {
  const value = fixedValue(draft.value, fix.path, fix) as Value;
  if (value === draft.value) return draft;
  if (draft.text === undefined) return { ...draft, value };
  const { format, text } = draft.text;
  return typed(draft, format, format === "yaml" ? fixedYaml(text, fix) : textOf(value, "json"));
}

function fixedValue(value: unknown, [step, ...rest]: Path, fix: Fix): unknown {
  if (step === undefined || typeof value !== "object" || value === null) return value;
  const isLast = rest.length === 0;
  const member: unknown = (value as Record<string | number, unknown>)[step];
  if (member === undefined && !(isLast && fix.op === "add")) return value;
  const inner = isLast ? replacement(member, fix) : fixedValue(member, rest, fix);
  if (inner === member && fix.op !== "rename") return value;
  if (Array.isArray(value)) {
    const at = Number(step);
    return fix.op === "remove" && isLast ? value.toSpliced(at, 1) : value.with(at, inner);
  }
  const name = String(step);
  if (fix.op === "add" && isLast) return { ...value, [name]: inner };
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]): [string, unknown][] => {
      if (key !== name) return [[key, one]];
      if (!isLast) return [[key, inner]];
      if (fix.op === "remove") return [];
      return [[fix.op === "rename" ? fix.to : key, inner]];
    }),
  );
}

const replacement = (member: unknown, fix: Fix): unknown =>
  fix.op === "replace" || fix.op === "add" ? fix.value : fix.op === "remove" ? undefined : member;

/** Applies a fix to YAML and keeps its comments. */
function fixedYaml(text: string, fix: Fix): string {
  const document = parseDocument(text);
  const path = [...fix.path];
  if (fix.op === "remove") document.deleteIn(path);
  else if (fix.op === "rename") {
    const name = path.pop();
    const owner = path.length === 0 ? document.contents : document.getIn(path);
    const pair = isMap(owner)
      ? owner.items.find(({ key }) => isScalar(key) && String(key.value) === String(name))
      : undefined;
    if (isScalar(pair?.key)) pair.key.value = fix.to;
  } else document.setIn(path, document.createNode(fix.value));
  return document.toString();
}

/** Maximum length of a value in a button, in characters. */
const LONGEST = 40;

export function useFixLabel(): (fix: Fix) => string {
  const { t } = useTranslation();
  return useCallback(
    (fix: Fix) => {
      const field = String(fix.path.at(-1));
      if (fix.op === "rename") return t("fix.rename", { field, to: fix.to });
      if (fix.op === "remove") return t("fix.remove");
      const text = JSON.stringify(fix.value);
      const value = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
      return t(fix.op === "add" ? "fix.add" : "fix.replace", { field, value });
    },
    [t],
  );
}
