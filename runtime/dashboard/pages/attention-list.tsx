import { Alert, Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import type { Attention, Now } from "../api/overview";
import { KINDS, type Kind } from "../api/resources";
import { numbered } from "../editor/numbered";
import type { TextKey } from "../i18n/en";
import { errorWords } from "./error-words";
import { exactly } from "./times";

interface AttentionListProps {
  attention: readonly Attention[];
  findings: Now["findings"];
}

/** At most five, worst first, as the gateway orders them. */
const MOST = 5;

/** What somebody should look at, each with what to do and where. */
export function AttentionList({ attention, findings }: AttentionListProps) {
  const { t } = useTranslation();
  if (attention.length === 0) return <Text c="dimmed">{t("overview.calm")}</Text>;
  return (
    <Stack gap="sm" component="section" aria-label={t("overview.attention")}>
      <Title order={2}>{t("overview.attention")}</Title>
      {numbered(attention.slice(0, MOST)).map(({ key, item }) => (
        <Alert key={key} color={item.severity === "error" ? "red" : "yellow"} title={textOf(item)}>
          <Group gap="md">
            {actionOf(item)}
            <WhereToLook attention={item} />
          </Group>
          {item.kind === "findings" && findings ? <Findings findings={findings} /> : null}
        </Alert>
      ))}
    </Stack>
  );
}

/** In the language of the page where there are words for the kind, else as the gateway says it. */
function textOf({ kind, text, values: given }: Attention): string {
  const values = { ...given } as Record<string, string | number>;
  if (typeof values["error"] === "string") values["error"] = errorWords(values["error"]);
  if (kind === "reload_refused") values["at"] = exactly(String(values["at"]), i18next.language);
  if (kind === "findings") values["counts"] = countsOf(values);
  const count = Number(values["days"] ?? values["entries"] ?? 0);
  const key =
    kind === "certificate_expires" && count < 0 ? "attention.certificate_expired" : `attention.${kind}`;
  const isKnown = i18next.exists(key, { count });
  return isKnown ? i18next.t(key as "attention.node_out", { ...values, count }) : text;
}

function countsOf({ errors, warnings }: Record<string, string | number>): string {
  const counted = (what: "errors" | "warnings", count: number) =>
    count === 0 ? [] : [i18next.t(`attention.findings_${what}`, { count })];
  return [...counted("errors", Number(errors)), ...counted("warnings", Number(warnings))].join(", ");
}

function actionOf({ kind, action }: Attention): string {
  const key = `attention.do.${kind}`;
  return i18next.exists(key) ? i18next.t(key as "attention.do.findings") : action;
}

const PAGES: Readonly<Record<string, { to: "/logs" | "/trace"; label: TextKey }>> = {
  spool_filling: { to: "/logs", label: "page.logs" },
  log_entries_dropped: { to: "/logs", label: "page.logs" },
  server_errors: { to: "/trace", label: "page.trace" },
};

/** Leads to the resource, or the page, that it is about. */
function WhereToLook({ attention: { kind, subject } }: { attention: Attention }) {
  const { t } = useTranslation();
  const page = PAGES[kind];
  if (page !== undefined)
    return <Anchor renderRoot={(props) => <Link to={page.to} {...props} />}>{t(page.label)}</Anchor>;
  const found = resourceIn(subject ?? "");
  if (found === undefined) return null;
  return (
    <Anchor renderRoot={(props) => <Link to="/$kind/$id" params={found} {...props} />}>{subject}</Anchor>
  );
}

/** What "routes/shop", or a place in the store, names. */
function resourceIn(text: string): { kind: Kind; id: string } | undefined {
  const [, kind = "", id = ""] = /^(?:[A-Z]+ \/gw\/admin\/|admin )?([a-z_]+)\/([^:/\s]+)/.exec(text) ?? [];
  return KINDS.some((one) => one === kind) && id !== "" ? { kind: kind as Kind, id } : undefined;
}

/** The first findings of the configuration that runs, each with its place. */
function Findings({ findings: { first } }: { findings: NonNullable<Now["findings"]> }) {
  return (
    <Stack gap={4} mt="sm" component="ul" style={{ paddingInlineStart: 20 }}>
      {numbered(first.filter(({ severity }) => severity !== "note").slice(0, MOST)).map(
        ({ key, item: { code, message, place } }) => (
          <li key={key}>
            <Text span size="sm" className="wrapped">
              {code} {message} <Place place={place} />
            </Text>
          </li>
        ),
      )}
    </Stack>
  );
}

/** A resource of the store can be opened; a file has its line. */
function Place({ place }: { place: string | null }) {
  if (place === null) return null;
  const found = resourceIn(place);
  if (found === undefined) return <span className="code">{place}</span>;
  return (
    <Anchor inherit renderRoot={(props) => <Link to="/$kind/$id" params={found} {...props} />}>
      {`${found.kind}/${found.id}`}
    </Anchor>
  );
}
