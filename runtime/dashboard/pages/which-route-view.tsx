import { Alert, Badge, Box, Card, Group, Stack, Table, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ExecutedPlugin, ReportedMessage, WhichRouteReport } from "../api/which-route";
import { AnchorLink } from "../app/links";
import { Dimmed, numbered } from "./elements";
import { errorWords } from "./formats";

export function WhichRouteView({ told, answered }: { told: WhichRouteReport; answered: number }) {
  const { t } = useTranslation();
  const { refused, matched, route, plugins, upstream_request: sent, response, logs, faults, live } = told;
  const status = live ? told.asked.at(-1)?.status : sent && answered;
  const outcome = refused
    ? t("told.refused", { status: refused.status, reason: refused.reason })
    : matched === null
      ? t("told.none")
      : undefined;
  return (
    <Stack gap="lg" component="section" aria-label={t("told.title")} aria-live="polite">
      {outcome === undefined ? (
        <Group gap="sm">
          <Title order={2}>{t("told.matched")}</Title>
          <AnchorLink fw={600} to="/$kind/$id" params={{ kind: "routes", id: matched ?? "" }}>
            {matched}
          </AnchorLink>
        </Group>
      ) : (
        <Alert color="yellow">{outcome}</Alert>
      )}
      {numbered(faults).map(({ key, item }) => (
        <Alert key={key} color="red">
          {item}
        </Alert>
      ))}
      <Candidates told={told} />
      {route ? <Sentences route={route} /> : null}
      {plugins.length > 0 ? <Plugins plugins={plugins} /> : null}
      {live ? <AskedNodes asked={told.asked} /> : null}
      {sent ? (
        <Message title={t("told.upstream_request")} first={`${sent.method} ${sent.target}`} message={sent} />
      ) : null}
      {response ? (
        <Message
          title={
            status ? t(live ? "told.response_live" : "told.response", { status }) : t("told.local_reply")
          }
          first={String(response.status)}
          message={response}
        />
      ) : null}
      {numbered(logs).map(({ key, item }) => (
        <Part key={key} title={t("told.log", { plugin: item.plugin })}>
          <Lines label={item.plugin} text={JSON.stringify(item.record, null, 2)} />
        </Part>
      ))}
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="sm">
      <Title order={2}>{title}</Title>
      {children}
    </Stack>
  );
}

function Candidates({ told: { candidates, more } }: { told: WhichRouteReport }) {
  const { t } = useTranslation();
  if (candidates.length === 0) return null;
  return (
    <Part title={t("told.candidates")}>
      <Table aria-label={t("told.candidates")}>
        <Table.Tbody>
          {candidates.map(({ id, place, matches, reason, failed }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Badge variant="light" color={matches ? "green" : "gray"}>
                  {t(matches ? "told.takes" : "told.passes")}
                </Badge>
              </Table.Td>
              <Table.Td className="code">
                <AnchorLink inherit to="/$kind/$id" params={{ kind: "routes", id }}>
                  {id}
                </AnchorLink>
              </Table.Td>
              <Table.Td className="wrapped">
                {reason?.text ?? ""}
                <Dimmed size="xs">
                  {[...new Set(failed.length === 0 ? [place] : failed.map((part) => part.place))]
                    .map((one) => (one === "store" ? t("status.store") : one))
                    .join(", ")}
                </Dimmed>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {more > 0 ? <Text c="dimmed">{t("told.more", { count: more })}</Text> : null}
    </Part>
  );
}

function Sentences({ route: { takes, phases } }: { route: NonNullable<WhichRouteReport["route"]> }) {
  const { t } = useTranslation();
  return (
    <Part title={t("told.does")}>
      <Card withBorder padding="md">
        {numbered(takes).map(({ key, item }) => (
          <Text key={key}>{item}</Text>
        ))}
        {phases.map(({ when, sentences }) => (
          <Stack key={when} gap={0} mt="sm">
            <Text fw={600}>{when}</Text>
            {numbered(sentences).map(({ key, item }) => (
              <Text key={key}>{item}</Text>
            ))}
          </Stack>
        ))}
      </Card>
    </Part>
  );
}

function Plugins({ plugins }: { plugins: readonly ExecutedPlugin[] }) {
  const { t } = useTranslation();
  return (
    <Part title={t("plugin.section")}>
      <Table>
        <Table.Tbody>
          {numbered(plugins).map(({ key, item: { name, from, place, phases, disabled } }) => (
            <Table.Tr key={key}>
              <Table.Td fw={600}>{name}</Table.Td>
              <Table.Td>{t(`told.from_${from}`)}</Table.Td>
              <Table.Td>
                {disabled ? t("plugin.disabled") : phases.join(", ")}
                <Dimmed size="xs">{place === "store" ? t("status.store") : place}</Dimmed>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Part>
  );
}

function AskedNodes({ asked }: Pick<WhichRouteReport, "asked">) {
  const { t } = useTranslation();
  if (asked.length === 0) return <Text>{t("told.none_asked")}</Text>;
  return (
    <Part title={t("told.asked")}>
      <Table aria-label={t("told.asked")}>
        <Table.Tbody>
          {numbered(asked).map(({ key, item: { node, status, error, ms } }) => (
            <Table.Tr key={key}>
              <Table.Td className="code wrapped">{node}</Table.Td>
              <Table.Td>{error === null ? status : errorWords(error)}</Table.Td>
              <Table.Td>{t("overview.ms", { value: ms })}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Part>
  );
}

function Message({
  title,
  first,
  message: { headers, body },
}: {
  title: string;
  first: string;
  message: ReportedMessage;
}) {
  const lines = [first, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return (
    <Part title={title}>
      <Lines label={title} text={`${lines.join("\n")}${body === "" ? "" : `\n\n${body}`}`} />
    </Part>
  );
}

/** A scrollable block, also reachable by the keyboard. */
const Lines = ({ label, text }: { label: string; text: string }) => (
  <Box component="pre" className="changes message code wrapped" tabIndex={0} role="group" aria-label={label}>
    {text}
  </Box>
);
