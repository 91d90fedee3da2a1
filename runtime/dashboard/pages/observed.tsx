import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAwaySince } from "../api/client";
import { overviewQuery, SHOWN_SECONDS, useLiveOverview } from "../api/overview";
import type { Kind, Value } from "../api/resources";
import { Certificates } from "./certificate";
import { Dimmed } from "./elements";
import { rate, share } from "./formats";
import { Nodes } from "./nodes";
import { TrafficTiles } from "./traffic-tiles";

/** Observed figures of a resource next to its configuration, for kinds that have any. */
export function Observed({ kind, id, value }: { kind: Kind; id: string; value: Value }) {
  if (kind === "ssls") return <Certificates id={id} />;
  if (kind === "upstreams")
    return (
      <>
        <OwnTraffic of={`upstreams/${id}`} />
        <Nodes kind={kind} id={id} />
      </>
    );
  if (kind !== "routes" && kind !== "services") return null;
  // A resource that is disabled, or names an upstream, has no running nodes of its own.
  const isServed = value["status"] !== 0;
  const isOwn = value["upstream"] !== undefined && value["upstream_id"] === undefined && isServed;
  const of = kind === "routes" ? `routes/${id}` : isOwn ? `upstreams/service:${id}` : undefined;
  return (
    <>
      {of !== undefined && isServed ? <OwnTraffic of={of} /> : null}
      {isOwn ? <Nodes kind={kind} id={id} /> : null}
    </>
  );
}

/** Two lines on a phone. */
const HEIGHT = { base: 57, sm: 30 };

/** Recent traffic of one route or upstream: a line of figures, and charts of the last hour on request. */
function OwnTraffic({ of }: { of: string }) {
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
          <Dimmed>{t("own.none")}</Dimmed>
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
