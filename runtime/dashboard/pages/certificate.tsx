import { Badge, Group, Stack, Table, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconClock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type Certificate, chainsQuery, type Expiry } from "../api/observed";
import { DataTable, Dimmed, numbered, Pending } from "./elements";
import { exactly, fromNow } from "./formats";

const COLUMNS = ["subject", "issuer", "valid", "expires"] as const;
/** Days before the expiry. Certificates are renewed with 30 days left; with 14 left the renewal has failed. */
const SOON = 30;
const LATE = 14;

/** Expiry of a certificate: relative, with the exact time on hover; a late one is red with a word. */
export function ExpiryMark({ expires, days }: Pick<Expiry, "expires" | "days">) {
  const { t, i18n } = useTranslation();
  const when = fromNow((Date.parse(expires) - Date.now()) / 1_000, i18n.language);
  const [color, Icon] =
    days < LATE
      ? (["red", IconAlertTriangle] as const)
      : days < SOON
        ? (["yellow", IconClock] as const)
        : (["green", IconCheck] as const);
  return (
    <Badge
      variant="light"
      tt="none"
      color={color}
      leftSection={<Icon size={12} aria-hidden />}
      title={exactly(expires, i18n.language)}
    >
      {days < 0 ? t("certificates.expired", { when }) : days < LATE ? t("certificates.late", { when }) : when}
    </Badge>
  );
}

export function Certificates({ id }: { id: string }) {
  const { t } = useTranslation();
  const query = useQuery(chainsQuery(id));
  const { data } = query;
  return (
    <Stack gap="sm" component="section" aria-label={t("certificates.title")}>
      <Title order={2}>{t("certificates.title")}</Title>
      <Pending query={query} h={72} />
      {data?.in_use === false ? <Text c="dimmed">{t("certificates.not_in_use")}</Text> : null}
      {numbered(data?.chains ?? []).map(({ key, item }) => (
        <Chain key={key} chain={item} />
      ))}
    </Stack>
  );
}

function Chain({ chain }: { chain: readonly Certificate[] }) {
  const { t } = useTranslation();
  const label = t("certificates.chain", { name: chain[0]?.subject });
  return (
    <DataTable
      minWidth={720}
      aria-label={label}
      columns={COLUMNS.map((column) => t(`certificates.${column}`))}
    >
      {chain.map((certificate) => (
        <CertificateRow key={certificate.fingerprint} certificate={certificate} />
      ))}
    </DataTable>
  );
}

function CertificateRow({ certificate }: { certificate: Certificate }) {
  const { t, i18n } = useTranslation();
  const { subject, issuer, names, not_before, not_after, days, self_signed, issued_by_next } = certificate;
  const date = (time: string) =>
    new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium" }).format(new Date(time));
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" className="code wrapped">
          {subject}
        </Text>
        {names.length > 0 ? (
          <Dimmed size="xs" className="wrapped">
            {names.join(", ")}
          </Dimmed>
        ) : null}
      </Table.Td>
      <Table.Td>
        <Text size="sm" className="code wrapped">
          {issuer}
        </Text>
        {self_signed ? <Dimmed size="xs">{t("certificates.self_signed")}</Dimmed> : null}
        {issued_by_next === false ? (
          <Group gap={4} c="red" wrap="nowrap">
            <IconAlertTriangle size={16} aria-hidden />
            <Text size="xs">{t("certificates.broken")}</Text>
          </Group>
        ) : null}
      </Table.Td>
      <Table.Td>{t("certificates.from_to", { from: date(not_before), to: date(not_after) })}</Table.Td>
      <Table.Td>
        <ExpiryMark expires={not_after} days={days} />
      </Table.Td>
    </Table.Tr>
  );
}
