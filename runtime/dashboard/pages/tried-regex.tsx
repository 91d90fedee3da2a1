import { Alert, Badge, Code, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconCopy } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { stringify as yamlText } from "yaml";
import type { Finding } from "../api/client";
import {
  type FoundMatch,
  MAX_SUBJECT,
  type RegexTestInput,
  type RegexTestResult,
  testRegex,
} from "../api/regex";
import type { TextKey } from "../i18n/en";
import { CopyTextButton, Dimmed, numbered } from "./elements";

const SEVERITIES = { error: "red", warning: "yellow", note: "blue" };
const CLASSES = { linear: "green", bounded: "green", slow: "yellow", refused: "red" };

export function Verdict({ asked, tried }: { asked: RegexTestInput; tried: RegexTestResult }) {
  const { t } = useTranslation();
  const { accepted, findings, unfinished } = tried;
  return (
    <Stack gap="sm" component="section" aria-label={t("sandbox.verdict")} aria-live="polite">
      {numbered(findings).map(({ key, item }) => (
        <DiagnosticInField key={key} finding={item} asked={asked} />
      ))}
      <Properties tried={tried} />
      {unfinished === null ? null : (
        <Alert color="red" title={t("sandbox.unfinished")}>
          {unfinished}
        </Alert>
      )}
      {accepted ? <CopyAsFilter asked={asked} /> : null}
    </Stack>
  );
}

const FIELDS = ["pattern", "options", "replace"] as const;

function DiagnosticInField({
  finding: { code, severity, message, help, span },
  asked,
}: {
  finding: Finding;
  asked: RegexTestInput;
}) {
  const { t } = useTranslation();
  const field = FIELDS.find((name) => name === span?.file);
  const place = field && span && t("sandbox.place", { field: t(`sandbox.${field}`), at: span.start.column });
  return (
    <Alert color={SEVERITIES[severity]} title={[code, place].filter(Boolean).join(" · ")}>
      <Text size="sm">{message}</Text>
      {field && span ? <Pointed text={asked[field]} from={span.start.column} to={span.end.column} /> : null}
      {help === undefined ? null : (
        <Text size="sm" mt={4}>
          {t("findings.help")}: {help}
        </Text>
      )}
    </Alert>
  );
}

/** A text with an underlined range; columns count from 1. */
function Pointed({ text, from, to }: { text: string; from: number; to: number }) {
  const [start, end] = [from - 1, to - 1];
  if (start === 0 && end >= text.length) return null;
  return (
    <Text size="sm" className="code pointed" mt={4}>
      {text.slice(0, start)}
      <mark>{text.slice(start, end) || "␣"}</mark>
      {text.slice(end)}
    </Text>
  );
}

function Properties({ tried }: { tried: RegexTestResult }) {
  const { t, i18n } = useTranslation();
  const { translation, engine, linear, cost, body } = tried;
  const rows: [TextKey, ReactNode][] = [];
  if (translation)
    rows.push(["sandbox.translation", <Code key="js">{`/${translation.source}/${translation.flags}`}</Code>]);
  if (engine)
    rows.push([
      "sandbox.engine",
      <Stack key="engine" gap={0}>
        <Text>{t(`sandbox.engine_${engine}`)}</Text>
        {linear ? (
          <Dimmed>
            {t("sandbox.linear_form", { bytes: linear.above_bytes })} <Code>{linear.source}</Code>
          </Dimmed>
        ) : null}
      </Stack>,
    ]);
  if (cost)
    rows.push([
      "sandbox.cost",
      <Worded key="cost" color={CLASSES[cost.class]} badge={t(`sandbox.cost_${cost.class}`)}>
        {cost.ms === null
          ? cost.text
          : `${t("sandbox.at_most", { ms: rounded(cost.ms, i18n.language) })}; ${cost.text}`}
      </Worded>,
    ]);
  if (body)
    rows.push([
      "sandbox.passes",
      <Worded
        key="body"
        color={body.mode === "stream" ? "green" : "yellow"}
        badge={t(`sandbox.mode_${body.mode}`)}
      >
        {body.reason}
      </Worded>,
    ]);
  if (rows.length === 0) return null;
  return (
    <Table>
      <Table.Tbody>
        {rows.map(([label, shown]) => (
          <Table.Tr key={label}>
            <Table.Th scope="row" w={140}>
              {t(label)}
            </Table.Th>
            <Table.Td className="wrapped">{shown}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const rounded = (ms: number, language: string): string =>
  new Intl.NumberFormat(language, ms >= 10 ? {} : { maximumSignificantDigits: 2 }).format(
    ms >= 10 ? Math.ceil(ms) : ms,
  );

function Worded({ color, badge, children }: { color: string; badge: string; children: ReactNode }) {
  return (
    <Group gap="sm">
      <Badge variant="light" color={color}>
        {badge}
      </Badge>
      <Text size="sm">{children}</Text>
    </Group>
  );
}

/** The filter as YAML for a configuration file, without defaults. */
function filterYaml({ pattern, options, replace, scope, allow_slow }: RegexTestInput): string {
  const filter = {
    ...{ regex: pattern, replace },
    ...(scope === "global" && { scope }),
    ...(options !== "" && { options }),
    ...(allow_slow && { allow_slow }),
  };
  return yamlText({ "response-rewrite": { filters: [filter] } }, { lineWidth: 0 });
}

function CopyAsFilter({ asked }: { asked: RegexTestInput }) {
  const { t } = useTranslation();
  return (
    <Group>
      <CopyTextButton
        variant="default"
        leftSection={<IconCopy size={16} aria-hidden />}
        value={filterYaml(asked)}
        label={t("sandbox.copy")}
      />
      <Dimmed flex={1} miw={240}>
        {t("sandbox.paste")}
      </Dimmed>
    </Group>
  );
}

/** Maximum number of listed matches; the others are only marked. */
const MAX_LISTED = 50;
/** Maximum length of a match in characters. */
const LONGEST = 120;
const cut = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

export function Matches({
  asked,
  result,
}: {
  asked: RegexTestInput;
  result: NonNullable<RegexTestResult["result"]>;
}) {
  const { t } = useTranslation();
  const { matches, more } = result;
  const listed = matches.slice(0, MAX_LISTED);
  const left = matches.length - listed.length + more;
  return (
    <Stack gap="sm" component="section" aria-label={t("sandbox.matches")}>
      <Title order={2}>{t("sandbox.found", { count: matches.length + more })}</Title>
      {listed.length > 0 ? (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={120}>{t("sandbox.bytes")}</Table.Th>
              <Table.Th>{t("sandbox.match")}</Table.Th>
              <Table.Th>{t("sandbox.captures")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {numbered(listed).map(({ key, item }) => (
              <Row key={key} match={item} subject={asked.subject} />
            ))}
          </Table.Tbody>
        </Table>
      ) : null}
      {left > 0 ? <Text c="dimmed">{t("sandbox.more", { count: left })}</Text> : null}
    </Stack>
  );
}

function Row({ match, subject }: { match: FoundMatch; subject: string }) {
  const { from, to, byte_from, byte_to, captures } = match;
  return (
    <Table.Tr>
      <Table.Td>
        {byte_from}–{byte_to}
      </Table.Td>
      <Table.Td className="code wrapped">{cut(subject.slice(from, to))}</Table.Td>
      <Table.Td className="code wrapped">
        {numbered(captures).map(({ key, item }) => (
          <div key={key}>
            ${Number(key) + 1} {item === null ? "–" : cut(item)}
          </div>
        ))}
      </Table.Td>
    </Table.Tr>
  );
}

/** Debounce time in ms. */
const QUIET_MS = 120;

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** Tests a filter after each pause in typing. The marks are the matches in its text. */
export function useTried(typed: RegexTestInput) {
  const [asked] = useDebouncedValue(typed, QUIET_MS);
  const bytes = useMemo(() => bytesOf(asked.subject), [asked.subject]);
  const isTooLong = bytes > MAX_SUBJECT;
  const { data, error, refetch } = useQuery({
    queryKey: ["regex", asked],
    enabled: asked.pattern !== "" && !isTooLong,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
    queryFn: async ({ signal }) => ({ of: asked, tried: await testRegex(asked, signal) }),
  });
  const answer = typed.pattern === "" || asked.pattern === "" ? undefined : data;
  const result = answer?.tried.result ?? null;
  const of = answer?.of.subject ?? "";
  const { subject } = typed;
  const marks = useMemo(
    () => (result === null ? { of: subject, stretches: [] } : { of, stretches: result.matches }),
    [result, of, subject],
  );
  return { answer, result, marks, error, refetch, tooLong: isTooLong ? bytes : undefined };
}

/** @param bytes size of the text, above the limit */
export function TooLong({ bytes }: { bytes: number }) {
  const { t } = useTranslation();
  return (
    <Alert color="red" role="alert">
      {t("sandbox.too_long", { bytes, limit: MAX_SUBJECT })}
    </Alert>
  );
}
