import { Alert, Stack, Table, Text, Title } from "@mantine/core";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { DataTable, Dimmed, Sparkline } from "../../../runtime/dashboard/plugin-kit";
import type { Counts, CountsSample, Service } from "./api";

const COLUMNS = [
  "site_key",
  "issued",
  "challenged",
  "solved",
  "failed",
  "refused",
  "verified",
  "rejected",
  "time_to_solve",
  "recent",
] as const;
const COUNTED = ["issued", "challenged", "solved", "failed", "refused", "verified"] as const;
/** The busiest first. */
const SHOWN = 50;

/** Polled while the page is visible. */
export function Statistics({ counts, looks }: Extract<Service, { state: "up" }>) {
  const { t } = useTranslation();
  const { total, site_keys: siteKeys } = counts;
  const busiest = Object.entries(siteKeys).sort(([, a], [, b]) => b.issued - a.issued);
  return (
    <Stack gap="sm" component="section" aria-label={t("captcha.statistics")}>
      <Title order={2}>{t("captcha.statistics")}</Title>
      <Attacks attacks={counts.under_attack} />
      <DataTable
        minWidth={1000}
        aria-label={t("captcha.statistics")}
        verticalSpacing="sm"
        layout="auto"
        className="figures"
        columns={COLUMNS.map((column) => t(`captcha.${column}`))}
      >
        <CountsRow name={undefined} counts={total} looks={looks} />
        {busiest.slice(0, SHOWN).map(([siteKey, counts]) => (
          <CountsRow key={siteKey} name={siteKey} counts={counts} looks={looks} />
        ))}
      </DataTable>
      {busiest.length > SHOWN ? (
        <Text size="sm">{t("captcha.more_counted", { count: busiest.length - SHOWN })}</Text>
      ) : null}
    </Stack>
  );
}

function Attacks({ attacks }: { attacks: Extract<Service, { state: "up" }>["counts"]["under_attack"] }) {
  const { t, i18n } = useTranslation();
  const moment = new Intl.DateTimeFormat(i18n.language, { dateStyle: "short", timeStyle: "short" });
  return Object.entries(attacks).map(([siteKey, { level, since }]) => (
    <Alert key={siteKey} color="orange" maw={720} title={t("captcha.under_attack", { siteKey })}>
      {t("captcha.under_attack_text", { level, since: moment.format(new Date(since)) })}
    </Alert>
  ));
}

interface CountsRowProps {
  /** Undefined: all site keys. */
  name: string | undefined;
  counts: Counts;
  looks: readonly CountsSample[];
}

function CountsRow({ name, counts, looks }: CountsRowProps) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const seconds = new Intl.NumberFormat(i18n.language, {
    ...{ style: "unit", unit: "second", unitDisplay: "short", maximumFractionDigits: 1 },
  } as const);
  const time = counts.time_to_solve_ms;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={name === undefined ? 600 : 400} className={name === undefined ? "" : "code"}>
        {name ?? t("captcha.all")}
      </Table.Th>
      {COUNTED.map((field) => (
        <Table.Td key={field}>{number.format(counts[field])}</Table.Td>
      ))}
      <Table.Td>
        <Rejected rejected={counts.rejected} />
      </Table.Td>
      <Table.Td>
        {time === null
          ? "–"
          : t("captcha.times", {
              median: seconds.format(time.median / 1_000),
              p90: seconds.format(time.p90 / 1_000),
            })}
      </Table.Td>
      <Table.Td w={180} miw={180}>
        <Recent name={name} looks={looks} />
      </Table.Td>
    </Table.Tr>
  );
}

/** Reasons, most frequent first. */
function Rejected({ rejected }: { rejected: Counts["rejected"] }) {
  const { i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const reasons = Object.entries(rejected).sort(([, a], [, b]) => b - a);
  return (
    <>
      {number.format(reasons.reduce((sum, [, count]) => sum + count, 0))}
      {reasons.map(([reason, count]) => (
        <Dimmed key={reason} size="xs" className="code">
          {reason} {number.format(count)}
        </Dimmed>
      ))}
    </>
  );
}

/** Verifications between two polls, while the page is open. */
function Recent({ name, looks }: { name: string | undefined; looks: readonly CountsSample[] }) {
  const { t, i18n } = useTranslation();
  const [first] = looks;
  const last = looks.at(-1);
  if (first === undefined || last === undefined || first === last) return "–";
  const verifiedAt = ({ verified }: CountsSample) =>
    name === undefined
      ? Object.values(verified).reduce((sum, count) => sum + count, 0)
      : (verified[name] ?? 0);
  const steps = looks.slice(1).map((look, at) => verifiedAt(look) - verifiedAt(looks[at] ?? look));
  const sum = steps.reduce((all, step) => all + step, 0);
  return (
    <>
      <Text size="xs">
        {t("captcha.verified_recently", {
          count: sum,
          shown: new Intl.NumberFormat(i18n.language).format(sum),
        })}
      </Text>
      <Suspense>
        <Sparkline times={looks.slice(1).map(({ at }) => at / 1_000)} values={steps} />
      </Suspense>
    </>
  );
}
