import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Now } from "../api/overview";
import { formatBytes } from "./figures";
import { duration } from "./times";

export function CurrentState({ now: { store, spool, logs, services } }: { now: Now }) {
  const { t, i18n } = useTranslation();
  const bytes = (value: number) => formatBytes(value, i18n.language);
  const most = spool.max_bytes === null ? "" : ` / ${bytes(spool.max_bytes)}`;
  const age = spool.bytes === 0 ? "" : `, ${duration(spool.oldest_seconds, i18n.language)}`;
  return (
    <Group gap="xl" component="dl" m={0}>
      <Held name={t("overview.store")}>{bytes(store.bytes)}</Held>
      <Held name={<To to="/history">{t("page.history")}</To>}>
        {t("overview.changes", { count: store.history.entries })}
      </Held>
      <Held name={<To to="/logs">{t("overview.queues")}</To>}>
        {t("overview.entries", { count: logs.pending_entries })}
      </Held>
      <Held name={<To to="/logs">{t("overview.spools")}</To>}>{`${bytes(spool.bytes)}${most}${age}`}</Held>
      {Object.entries(services).map(([name, service]) => (
        <Held key={name} name={name}>
          <Text
            span
            size="sm"
            c={service["up"] === true ? undefined : "var(--mantine-color-red-light-color)"}
          >
            {t(service["up"] === true ? "overview.serves" : "overview.serves_not")}
          </Text>
        </Held>
      ))}
    </Group>
  );
}

function Held({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0}>
        {children}
      </Text>
    </div>
  );
}

const To = ({ to, children }: { to: "/history" | "/logs"; children: ReactNode }) => (
  <Anchor inherit renderRoot={(props) => <Link to={to} {...props} />}>
    {children}
  </Anchor>
);
