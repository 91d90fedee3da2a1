import { Alert, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import i18next from "i18next";
import { useTranslation } from "react-i18next";
import type { Attention, Now } from "../api/overview";
import { type Kind, resourceNamed } from "../api/resources";
import { storedName } from "../api/stored-name";
import { AnchorLink } from "../app/links";
import type { TextKey } from "../i18n/en";
import { numbered } from "./elements";
import { errorWords, exactly } from "./formats";

/** Maximum number of groups shown at first, and of diagnostics in one. */
const MAX_SHOWN = 5;

/** Groups items by kind, in the gateway's order: worst first. */
function grouped(attention: readonly Attention[]): [kind: string, items: readonly Attention[]][] {
  const groups = new Map<string, Attention[]>();
  for (const one of attention) groups.set(one.kind, [...(groups.get(one.kind) ?? []), one]);
  return [...groups];
}

export function AttentionList(props: { attention: readonly Attention[]; findings: Now["findings"] }) {
  const { attention, findings } = props;
  const { t } = useTranslation();
  const [isWhole, { toggle }] = useDisclosure();
  if (attention.length === 0) return <Text c="dimmed">{t("overview.calm")}</Text>;
  const groups = grouped(attention);
  const more = groups.length - MAX_SHOWN;
  return (
    <Stack gap="sm" component="section" aria-label={t("overview.attention")}>
      <Title order={2}>{t("overview.attention")}</Title>
      {groups.slice(0, isWhole ? undefined : MAX_SHOWN).map(([kind, items]) => (
        <OneKind key={kind} items={items} findings={findings} />
      ))}
      {more > 0 ? (
        <Group>
          <Button variant="default" size="compact-sm" aria-expanded={isWhole} onClick={toggle}>
            {isWhole ? t("attention.fewer") : t("attention.more", { count: more })}
          </Button>
        </Group>
      ) : null}
    </Stack>
  );
}

function OneKind({ items, findings }: { items: readonly Attention[]; findings: Now["findings"] }) {
  const { t } = useTranslation();
  const [isUnfolded, { toggle }] = useDisclosure();
  const [first] = items;
  if (first === undefined) return null;
  const isOne = items.length === 1;
  const color = items.some(({ severity }) => severity === "error") ? "red" : "yellow";
  return (
    <Alert color={color} title={isOne ? textOf(first) : groupText(first)} className="wrapped">
      <Group gap="md">
        {actionOf(first)}
        {isOne ? <WhereToLook attention={first} /> : null}
        {isOne ? null : (
          <Button variant="default" size="compact-sm" aria-expanded={isUnfolded} onClick={toggle}>
            {t(isUnfolded ? "attention.fold" : "attention.unfold", { count: items.length })}
          </Button>
        )}
      </Group>
      {isUnfolded && !isOne ? <Each items={items} /> : null}
      {first.kind === "findings" && findings ? <Findings findings={findings} /> : null}
    </Alert>
  );
}

/** Lists that show further items of a kind. */
const LISTS: Readonly<Record<string, Kind>> = {
  node_failing: "upstreams",
  node_out: "upstreams",
  route_quarantined: "routes",
  certificate_expires: "ssls",
};

function Each({ items }: { items: readonly Attention[] }) {
  const { t } = useTranslation();
  const [first] = items;
  const left = (first?.of ?? 0) - items.length;
  const kind = LISTS[first?.kind ?? ""];
  return (
    <Stack gap={4} mt="sm" component="ul" style={{ paddingInlineStart: 20 }}>
      {numbered(items).map(({ key, item }) => (
        <li key={key}>
          <Text span size="sm" className="wrapped">
            {textOf(item)} <WhereToLook attention={item} />
          </Text>
        </li>
      ))}
      {left > 0 ? (
        <li>
          {t("attention.left", { count: left })}{" "}
          {kind ? (
            <AnchorLink {...ON_COLOUR} to="/$kind" params={{ kind }}>
              {t(`page.${kind}`)}
            </AnchorLink>
          ) : null}
        </li>
      ) : null}
    </Stack>
  );
}

const PAGES: Readonly<Record<string, { to: "/logs" | "/trace"; label: TextKey }>> = {
  spool_filling: { to: "/logs", label: "page.logs" },
  log_entries_dropped: { to: "/logs", label: "page.logs" },
  server_errors: { to: "/trace", label: "page.trace" },
};

/** The accent color has a contrast of 4.1:1 on the red of an error, so links use the text color with an underline. */
const ON_COLOUR = { inherit: true, c: "var(--mantine-color-text)", underline: "always" } as const;

function WhereToLook({ attention: { kind, subject } }: { attention: Attention }) {
  const { t } = useTranslation();
  const page = PAGES[kind];
  const found = resourceNamed(subject ?? "");
  return (
    <>
      {found ? (
        <AnchorLink {...ON_COLOUR} to="/$kind/$id" params={found}>
          {subject}
        </AnchorLink>
      ) : null}
      {page ? (
        <AnchorLink {...ON_COLOUR} to={page.to}>
          {t(page.label)}
        </AnchorLink>
      ) : null}
    </>
  );
}

function Findings({ findings: { first } }: { findings: NonNullable<Now["findings"]> }) {
  return (
    <Stack gap={4} mt="sm" component="ul" style={{ paddingInlineStart: 20 }}>
      {numbered(first.filter(({ severity }) => severity !== "note").slice(0, MAX_SHOWN)).map(
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

/** Location with a link for a resource of the store; a file has its line. */
function Place({ place }: { place: string | null }) {
  if (place === null) return null;
  const found = resourceNamed(storedName(place) ?? "");
  if (found === undefined) return <span className="code">{place}</span>;
  return (
    <AnchorLink {...ON_COLOUR} to="/$kind/$id" params={found}>
      {`${found.kind}/${found.id}`}
    </AnchorLink>
  );
}

/** Text in the language of the page if the kind has a translation, else the text of the gateway. */
function textOf({ kind, text, values: given }: Attention): string {
  const values = { ...given } as Record<string, string | number>;
  if (typeof values["error"] === "string") values["error"] = errorWords(values["error"]);
  if (kind === "reload_refused") values["at"] = exactly(String(values["at"]), i18next.language);
  if (typeof values["percent"] === "number")
    values["percent"] = new Intl.NumberFormat(i18next.language).format(values["percent"]);
  if (kind === "findings") values["counts"] = countsOf(values);
  const count = Number(values["days"] ?? values["entries"] ?? 0);
  const key = `attention.${kind}${variantOf(kind, values, count)}`;
  const isKnown = i18next.exists(key, { count });
  return isKnown ? i18next.t(key as "attention.node_out", { ...values, count }) : text;
}

function variantOf(kind: string, values: Record<string, unknown>, count: number): string {
  if (kind === "certificate_expires" && count < 0) return ".expired";
  return kind === "server_errors" && values["route"] !== undefined ? ".of_route" : "";
}

/** One sentence. Without a translation it has the first item, and the number of the others. */
function groupText(first: Attention): string {
  const { kind, of: count } = first;
  const key = `attention.several.${kind}`;
  if (i18next.exists(key, { count })) return i18next.t(key as "attention.several.node_out", { count });
  return i18next.t("attention.several", { first: textOf(first), count: count - 1 });
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
