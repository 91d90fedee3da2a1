import { Anchor, Stack, Table, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Stretch } from "../api/overview";
import { rate, share } from "./figures";

interface RankingProps {
  title: string;
  kind: "routes" | "upstreams";
  items: readonly (Stretch & { id: string })[];
  seconds: number;
}

const MOST = 8;

/** Where a row leads to: an upstream of a route's own is on the page of the route. */
function resourceOf(
  kind: RankingProps["kind"],
  id: string,
): { kind: "routes" | "services" | "upstreams"; id: string } {
  const [, owner, of] = /^(route|service):(.*)$/s.exec(id) ?? [];
  if (kind === "routes" || owner === undefined || of === undefined) return { kind, id };
  return { kind: owner === "route" ? "routes" : "services", id: of };
}

/** By how much their requests have changed against the stretch before, not by how many there are. */
export function Ranking({ title, kind, items, seconds }: RankingProps) {
  const { t, i18n } = useTranslation();
  const change = ({ requests, before }: Stretch) => Math.abs(requests - (before?.requests ?? 0));
  const shown = [...items].sort((a, b) => change(b) - change(a)).slice(0, MOST);
  return (
    <Stack gap="sm">
      <Title order={2}>{title}</Title>
      <Text c="dimmed" size="sm">
        {t(shown.length === 0 ? "overview.quiet" : "overview.stretch")}
      </Text>
      {shown.length === 0 ? null : (
        <Table aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("overview.name")}</Table.Th>
              <Table.Th ta="right">{t("overview.rate_head")}</Table.Th>
              <Table.Th ta="right">{t("overview.errors_head")}</Table.Th>
              <Table.Th ta="right">{t("overview.p99_head")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((item) => (
              <Table.Tr key={item.id}>
                <Table.Td className="code wrapped">
                  <Anchor
                    inherit
                    renderRoot={(props) => (
                      <Link to="/$kind/$id" params={resourceOf(kind, item.id)} {...props} />
                    )}
                  >
                    {item.id}
                  </Anchor>
                </Table.Td>
                <Table.Td ta="right">{rate(item.requests, seconds, i18n.language)}</Table.Td>
                <Table.Td ta="right">
                  {share(item.errors_5xx, item.requests, i18n.language)}{" "}
                  <Text span c="dimmed" size="sm">
                    ({share(item.errors_4xx, item.requests, i18n.language)})
                  </Text>
                </Table.Td>
                <Table.Td ta="right">
                  {item.p99 === null ? "–" : t("overview.ms", { value: Math.round(item.p99) })}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}
