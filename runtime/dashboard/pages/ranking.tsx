import { Stack, Table, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type Row, type Second, SHOWN_SECONDS } from "../api/overview";
import { AnchorLink } from "../app/links";
import { DataTable, Dimmed } from "./elements";
import { perSecond, rate, share } from "./formats";

interface RankingProps {
  title: string;
  kind: "routes" | "upstreams";
  items: readonly Row[];
  /** Counts of each in the last second; undefined without a stream. */
  second: Second["routes"];
  seconds: number;
  /** Seconds of the window with counts. */
  counted: number;
  all: number;
  /** Requests that no route matched, and those of the last second with a stream; absent for upstreams. */
  unrouted?: { requests: number; now: number | undefined };
}

const MOST = 8;

/** Resource of a row: the inline upstream of a route is on the page of the route. */
function resourceOf(
  kind: RankingProps["kind"],
  id: string,
): { kind: "routes" | "services" | "upstreams"; id: string } {
  const [, owner, of] = /^(route|service):(.*)$/s.exec(id) ?? [];
  if (kind === "routes" || owner === undefined || of === undefined) return { kind, id };
  return { kind: owner === "route" ? "routes" : "services", id: of };
}

/** Items ordered by the change of their requests from the previous window, not by their number. */
export function Ranking({ title, kind, items, second, seconds, counted, all, unrouted }: RankingProps) {
  const { t, i18n } = useTranslation();
  const change = ({ requests, before }: Row) => Math.abs(requests - (before?.requests ?? 0));
  const shown = [...items].sort((a, b) => change(b) - change(a)).slice(0, MOST);
  const none = unrouted?.requests ?? 0;
  const others = all - none - shown.reduce((sum, { requests }) => sum + requests, 0);
  const isQuiet = shown.length === 0 && none === 0;
  const stretch = seconds === SHOWN_SECONDS ? "overview.stretch" : "overview.stretch_hour";
  return (
    <Stack gap="sm">
      <Title order={2}>{title}</Title>
      <Dimmed>{t(isQuiet ? "overview.quiet" : stretch)}</Dimmed>
      {isQuiet ? null : (
        <DataTable
          isNumeric
          minWidth={340}
          aria-label={title}
          columns={(["name", "now_head", "rate_head", "errors_head", "p99_head"] as const).map((column) =>
            t(`overview.${column}`),
          )}
        >
          {shown.map((item) => (
            <Ranked key={item.id} {...{ kind, item, second, counted }} />
          ))}
          {unrouted && none > 0 ? <Unrouted {...unrouted} counted={counted} /> : null}
          {others > 0 ? (
            <Table.Tr>
              <Table.Td c="dimmed">{t(`overview.others_${kind}`)}</Table.Td>
              <Table.Td />
              <Table.Td ta="right">{rate(others, counted, i18n.language)}</Table.Td>
              <Table.Td colSpan={2} />
            </Table.Tr>
          ) : null}
        </DataTable>
      )}
    </Stack>
  );
}

/** Requests without a route. A trace shows them, because their targets are not stored. */
function Unrouted({
  requests,
  now,
  counted,
}: {
  requests: number;
  now: number | undefined;
  counted: number;
}) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  return (
    <Table.Tr>
      <Table.Td>
        {t("overview.unrouted")}
        <Text size="sm">
          <AnchorLink inherit title={t("overview.unrouted_how")} to="/trace" search={{ unrouted: true }}>
            {t("overview.unrouted_trace")}
          </AnchorLink>
          {" · "}
          <AnchorLink inherit to="/which-route">
            {t("page.which_route")}
          </AnchorLink>
        </Text>
      </Table.Td>
      <Table.Td ta="right">{perSecond(now, language)}</Table.Td>
      <Table.Td ta="right">{rate(requests, counted, language)}</Table.Td>
      <Table.Td colSpan={2} />
    </Table.Tr>
  );
}

type RankedProps = Pick<RankingProps, "kind" | "second" | "counted"> & { item: Row };

function Ranked({ kind, item, second, counted }: RankedProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const now = second && (second.find(({ id }) => id === item.id)?.requests ?? 0);
  return (
    <Table.Tr>
      <Table.Td className="code wrapped">
        <AnchorLink inherit to="/$kind/$id" params={resourceOf(kind, item.id)}>
          {item.id}
        </AnchorLink>
      </Table.Td>
      <Table.Td ta="right">{perSecond(now, language)}</Table.Td>
      <Table.Td ta="right">{rate(item.requests, counted, language)}</Table.Td>
      <Table.Td ta="right">
        {share(item.errors_5xx, item.requests, language)}{" "}
        <Text span c="dimmed" size="sm">
          ({share(item.errors_4xx, item.requests, language)})
        </Text>
      </Table.Td>
      <Table.Td ta="right">
        {item.p99 === null ? "–" : t("overview.ms", { value: Math.round(item.p99) })}
      </Table.Td>
    </Table.Tr>
  );
}
