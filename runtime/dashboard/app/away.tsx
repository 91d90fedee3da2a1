import { Badge } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { readSession } from "../api/client";
import { ASK_AGAIN_MS, useAwaySince } from "../api/reach";
import { renewSession } from "../api/session";
import { timeOfDay } from "../pages/times";

/** Shown in the header, where it moves nothing. Refetches everything once the gateway responds. */
export function Away() {
  const { t, i18n } = useTranslation();
  const since = useAwaySince();
  const queries = useQueryClient();
  useEffect(() => {
    if (since === undefined) return;
    const timer = setInterval(() => void readSession().then(renewSession, () => {}), ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      void queries.invalidateQueries();
    };
  }, [since, queries]);
  if (since === undefined) return null;
  const time = timeOfDay(since, i18n.language);
  return (
    <Badge color="red" role="status" title={t("away.text", { time })}>
      {t("away.short", { time })}
    </Badge>
  );
}
