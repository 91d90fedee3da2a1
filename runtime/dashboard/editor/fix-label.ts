import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { Fix } from "../api/client";

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
