import { Badge, Group, Stack, Table, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { MODULE_KINDS } from "../api/module";
import { resourceNamed } from "../api/resources";
import type { Trace, TraceAttempt, TraceChange, TraceFields, TracePhase, TraceStep } from "../api/trace";
import type { WhichRouteSearch } from "../app/router";
import { DataTable, Dimmed, numbered } from "./elements";
import { errorWords, formatBytes, timeOfDay } from "./formats";

export function TraceView({ trace, isOpen }: { trace: Trace; isOpen: boolean }) {
  const { t, i18n } = useTranslation();
  const [opened, setOpened] = useState(isOpen);
  const { at, request, route, response, ms } = trace;
  const time = timeOfDay(at, i18n.language);
  return (
    <details className="fold" open={opened} onToggle={({ currentTarget: { open } }) => setOpened(open)}>
      <summary>
        <Badge variant="light" color={response.status < 400 ? "green" : "red"}>
          {response.status}
        </Badge>{" "}
        <Text span className="code wrapped" fw={600}>{`${request.method} ${request.target}`}</Text>{" "}
        <Text span c="dimmed">
          {[time, route?.id ?? t("trace.no_route"), t("overview.ms", { value: ms })].join(" · ")}
        </Text>
      </summary>
      {opened ? <Unfolded trace={trace} /> : null}
    </details>
  );
}

function Unfolded({ trace }: { trace: Trace }) {
  const { t, i18n } = useTranslation();
  const { request, route, client, worker, generation, phases, attempts, response, cut } = trace;
  const { upstream_request: sent, upstream_response: received } = trace;
  const body = formatBytes(trace.response_body_bytes, i18n.language);
  return (
    <Stack gap="md" className="folded">
      <Group gap="xs">
        {route === null ? <Text>{t("told.none")}</Text> : <TakenBy route={route} />}
        <Text c="dimmed">{t("trace.of", { client, worker, generation })}</Text>
        <Link to="/which-route" search={askedAgain(trace)}>
          {t("trace.ask")}
        </Link>
      </Group>
      {cut ? <Text>{t("trace.cut")}</Text> : null}
      <Head
        title={t("trace.request")}
        lines={[`${request.method} ${request.target} ${request.protocol}`, `Host: ${request.host}`]}
        fields={request.headers}
      />
      {phases.length > 0 ? <Phases phases={phases} /> : <Text>{t("trace.no_phases")}</Text>}
      {attempts.length > 0 ? <Attempts attempts={attempts} /> : null}
      {sent ? (
        <Head
          title={t("told.upstream_request")}
          lines={[`${sent.method} ${sent.target}`, `Host: ${sent.host}`]}
          fields={sent.headers}
        />
      ) : null}
      {received ? (
        <Head
          title={t("trace.upstream_response")}
          lines={[String(received.status)]}
          fields={received.headers}
        />
      ) : null}
      <Head
        title={t(response.own ? "trace.own_response" : "trace.response", { body })}
        lines={[String(response.status)]}
        fields={response.headers}
      />
    </Stack>
  );
}

/** Search for the same request on the page "which route"; its credentials are masked. */
const askedAgain = ({ request: { method, host, target }, client }: Trace): WhichRouteSearch => ({
  ...{ method, client },
  url: host === "" ? target : `http://${host}${target}`,
});

function TakenBy({ route: { id, methods, hosts, uris } }: { route: NonNullable<Trace["route"]> }) {
  const { t } = useTranslation();
  return (
    <>
      <Text>{t("told.matched")}</Text>
      <Link to="/$kind/$id" params={{ kind: "routes", id }} className="code">
        {id}
      </Link>
      <Text className="code wrapped" c="dimmed">
        {[methods, hosts, uris].map((list) => list.join(", ")).join(" ")}
      </Text>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

function Head({ title, lines, fields }: { title: string; lines: readonly string[]; fields: TraceFields }) {
  const all = [...lines, ...fields.map(([name, value]) => `${name}: ${value}`)];
  return (
    <Part title={title}>
      <pre className="changes message code whole">{all.join("\n")}</pre>
    </Part>
  );
}

function Phases({ phases }: { phases: readonly TracePhase[] }) {
  const { t } = useTranslation();
  const rows = phases.flatMap(({ steps, ...phase }) => steps.map((step) => ({ ...phase, step })));
  return (
    <Part title={t("trace.phases")}>
      <DataTable
        minWidth={760}
        aria-label={t("trace.phases")}
        verticalSpacing="xs"
        columns={(["at", "phase", "plugin", "took", "changed"] as const).map((column) =>
          t(`trace.${column}`),
        )}
      >
        {numbered(rows).map(({ key, item: { phase, at_us, step, owner } }) => (
          <Table.Tr key={key}>
            <Table.Td>{micros(at_us)}</Table.Td>
            <Table.Td>{t(`trace.phase_${phase}`)}</Table.Td>
            <Table.Td>
              <SetAt step={step} owner={owner} />
            </Table.Td>
            <Table.Td>{micros(step.us)}</Table.Td>
            <Table.Td>
              <Changes changes={step.changes} />
              {step.condition !== null && step.changes.length === 0 ? (
                <Text c="dimmed" className="wrapped">
                  {t("trace.only_where", { condition: step.condition })}
                </Text>
              ) : null}
            </Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
    </Part>
  );
}

const micros = (us: number) => (us < 1_000 ? `${us} µs` : `${Math.round(us / 100) / 10} ms`);
function SetAt({ step: { plugin, address, place }, owner: unit }: { step: TraceStep; owner: string }) {
  const { t } = useTranslation();
  const [owner] = address.split(" ", 1);
  const found = resourceNamed(address);
  const module = resourceNamed(unit);
  return (
    <Stack gap={0}>
      <Text fw={600}>{plugin ?? t("trace.condition")}</Text>
      {found ? (
        <Link to="/$kind/$id" params={found} className="code">
          {owner}
        </Link>
      ) : (
        <Text className="code">{owner}</Text>
      )}
      <Dimmed className="wrapped">{place === "store" ? t("status.store") : place}</Dimmed>
      {module && MODULE_KINDS.has(module.kind) ? (
        <Link
          to="/module/$kind/$id"
          params={module}
          search={{ at: address }}
          aria-label={t("trace.module", { address })}
        >
          {t("module.link")}
        </Link>
      ) : null}
    </Stack>
  );
}

function Changes({ changes }: { changes: readonly TraceChange[] }) {
  const { t } = useTranslation();
  if (changes.length === 0) return <Text c="dimmed">{t("trace.unchanged")}</Text>;
  const lines = changes.flatMap(({ of, what, name, before, after }) => {
    const label = `${t(`trace.of_${of}`)} ${what === "header" ? name : t(`trace.what_${what}`)}`;
    return [
      ...(before === null ? [] : [{ sign: "−", look: "removed", text: `${label}: ${before}` }]),
      ...(after === null ? [] : [{ sign: "+", look: "added", text: `${label}: ${after}` }]),
    ];
  });
  return (
    <div className="changes code whole">
      {numbered(lines).map(({ key, item: { sign, look, text } }) => (
        <div key={key} className={look}>
          {`${sign} ${text}`}
        </div>
      ))}
    </div>
  );
}

function Attempts({ attempts }: { attempts: readonly TraceAttempt[] }) {
  const { t } = useTranslation();
  const ms = (value: number | null) => (value === null ? "—" : t("overview.ms", { value }));
  return (
    <Part title={t("trace.attempts")}>
      <DataTable
        minWidth={520}
        aria-label={t("trace.attempts")}
        columns={(["node", "status", "connected", "first", "took"] as const).map((column) =>
          t(`trace.${column}`),
        )}
      >
        {numbered(attempts).map(({ key, item }) => (
          <Table.Tr key={key}>
            <Table.Td className="code">{item.node}</Table.Td>
            <Table.Td>{item.error === null ? (item.status ?? "—") : errorWords(item.error)}</Table.Td>
            <Table.Td>{item.reused ? t("trace.reused") : ms(item.connect_ms)}</Table.Td>
            <Table.Td>{ms(item.head_ms)}</Table.Td>
            <Table.Td>{ms(item.ms)}</Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
    </Part>
  );
}
