import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { overviewQuery, SHOWN_SECONDS, useLiveOverview } from "../api/overview";
import { useAwaySince } from "../api/reach";
import { rate, share } from "./figures";
import { TrafficTiles } from "./traffic-tiles";

/** Two lines on a phone. */
const HEIGHT = { base: 57, sm: 30 };

/** Recent traffic of one route or upstream: a line of figures, and charts of the last hour on request. */
export function OwnTraffic({ of }: { of: string }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const [seconds, setSeconds] = useState(SHOWN_SECONDS);
  const [isOpen, { toggle }] = useDisclosure();
  const { data } = useQuery(overviewQuery({ seconds, of }));
  const second = useLiveOverview({ seconds, of });
  const isAway = useAwaySince() !== undefined;
  if (data === undefined) return <Text mih={HEIGHT} />;
  const { total, counted_seconds: counted, kept } = data;
  const now =
    second === undefined || isAway
      ? "–"
      : t("overview.per_second", { value: new Intl.NumberFormat(language).format(second.requests) });
  return (
    <Stack gap="sm" component="section" aria-label={t("own.title")}>
      <Group gap="md" mih={HEIGHT}>
        {kept ? (
          <>
            <Text size="sm">
              {t(seconds === SHOWN_SECONDS ? "own.minutes" : "own.hour", {
                ...{ now, rate: rate(total.requests, counted, language) },
                ...{ errors: share(total.errors_5xx, total.requests, language) },
                refused: share(total.errors_4xx, total.requests, language),
                p99: total.p99 === null ? "–" : t("overview.ms", { value: Math.round(total.p99) }),
              })}
            </Text>
            <Button variant="default" size="compact-sm" aria-expanded={isOpen} onClick={toggle}>
              {t(isOpen ? "own.fold" : "own.unfold")}
            </Button>
          </>
        ) : (
          <Text size="sm" c="dimmed">
            {t("own.none")}
          </Text>
        )}
      </Group>
      {isOpen && kept ? (
        <TrafficTiles
          {...{ total, counted, seconds }}
          second={isAway ? undefined : second}
          onSeconds={setSeconds}
        />
      ) : null}
    </Stack>
  );
}
