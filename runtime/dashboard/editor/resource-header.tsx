import { ActionIcon, Badge, Button, CopyButton, Group, Menu, Stack, Text, Title } from "@mantine/core";
import { IconCheck, IconCopy, IconDots } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { AdminError } from "../api/client";
import { deletionOf } from "../api/history";
import { MODULE_KINDS } from "../api/module";
import { canBeNamed, useReferrers } from "../api/references";
import { type Kind, remove, type Value } from "../api/resources";
import { AnchorLink, ButtonLink, MenuItemLink } from "../app/links";
import { useQuestion } from "../app/question";
import type { WhichRouteSearch } from "../app/router";
import { Dimmed } from "../pages/elements";
import { useLive } from "./live";
import { notifyFailure } from "./rejection";

export interface ResourceHeaderProps {
  kind: Kind;
  id: string;
  value: Value;
  etag: string | null;
  /** Location in a file; undefined for a resource of the store. */
  fromFile: string | undefined;
  readOnly: boolean;
  canSave: boolean;
  /** Reason why it cannot be saved yet. */
  unsavable: string | undefined;
  saving: boolean;
  onSave(): void;
  /** Changes fields at once. @throws AdminError */
  onChange(fields: Value): Promise<void>;
}

export function ResourceHeader(props: ResourceHeaderProps) {
  const { t } = useTranslation();
  const { kind, id, value, etag, fromFile, readOnly, canSave, unsavable, saving, onSave, onChange } = props;
  return (
    <Group justify="space-between" align="flex-start" className="resource-head">
      <Stack gap={2}>
        <Dimmed>
          <AnchorLink size="sm" to="/$kind" params={{ kind }}>
            {t(`page.${kind}`)}
          </AnchorLink>
        </Dimmed>
        <Group gap="sm">
          <Title order={1}>{id}</Title>
          <CopyId id={id} />
          {value["status"] === 0 ? <Badge color="gray">{t("status.disabled")}</Badge> : null}
          <Dimmed>{fromFile ? t("file.set_in", { place: fromFile }) : t("status.store")}</Dimmed>
        </Group>
      </Stack>
      <Group gap="sm">
        {kind === "routes" ? (
          <ButtonLink variant="default" to="/which-route" search={requestFor(value)}>
            {t("ask.try")}
          </ButtonLink>
        ) : null}
        {MODULE_KINDS.has(kind) ? (
          <ButtonLink variant="default" to="/module/$kind/$id" params={{ kind, id }}>
            {t("module.link")}
          </ButtonLink>
        ) : null}
        <More {...{ kind, id, etag, readOnly, onChange }} enabled={value["status"] !== 0} />
        {canSave ? <Reach kind={kind} id={id} /> : null}
        <Button disabled={!canSave} title={unsavable} loading={saving} onClick={onSave}>
          {t("action.save")}
        </Button>
      </Group>
    </Group>
  );
}

/** Users of the resource, for whom a save is live at once. */
function Reach({ kind, id }: { kind: Kind; id: string }) {
  const { t } = useTranslation();
  const { users, loaded } = useReferrers(kind, id);
  if (!loaded) return null;
  const count = users.length;
  const said = canBeNamed(kind) ? (count === 0 ? t("save.unused") : t("save.users", { count })) : undefined;
  const whole =
    kind === "routes" ? t("save.route") : kind === "global_rules" ? t("save.all") : t("save.live");
  return (
    <Dimmed size="xs" visibleFrom="md">
      {said ?? whole}
    </Dimmed>
  );
}

function CopyId({ id }: { id: string }) {
  const { t } = useTranslation();
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={copy}
          aria-label={t(copied ? "action.copied" : "action.copy_id")}
        >
          {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
        </ActionIcon>
      )}
    </CopyButton>
  );
}

interface MoreProps extends Pick<ResourceHeaderProps, "kind" | "id" | "etag" | "readOnly" | "onChange"> {
  enabled: boolean;
}

/** Kinds that can be disabled without deletion. */
const WITH_STATUS: ReadonlySet<Kind> = new Set(["routes", "ssls"]);

function More({ kind, id, etag, readOnly, enabled, onChange }: MoreProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const live = useLive();
  const question = useQuestion();
  const failed = (error: unknown) =>
    notifyFailure(t(error instanceof AdminError ? "refused.title" : "failed.save"), error);
  async function gone() {
    try {
      await remove(kind, id, etag ?? undefined);
      void navigate({ to: "/$kind", params: { kind } });
      await live(t("delete.done", { id }), await deletionOf(kind, id));
    } catch (error) {
      failed(error);
    }
  }
  const turn = () => onChange({ status: enabled ? 0 : 1 }).catch(failed);
  const ask = () =>
    question({
      title: t("delete.ask", { label: t(`kind.${kind}`), id }),
      text: <DeleteText kind={kind} id={id} />,
      confirm: t("action.delete"),
      onConfirm: gone,
    });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={t("action.more")}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <MenuItemLink to="/new/$kind" params={{ kind }} search={{ from: id }}>
          {t("action.clone")}
        </MenuItemLink>
        <MenuItemLink to="/history" search={{ kind, id }}>
          {t("history.of_resource")}
        </MenuItemLink>
        {WITH_STATUS.has(kind) ? (
          <Menu.Item disabled={readOnly} onClick={() => void turn()}>
            {t(enabled ? "action.disable" : "action.enable")}
          </Menu.Item>
        ) : null}
        <Menu.Item color="var(--mantine-color-red-light-color)" disabled={readOnly} onClick={ask}>
          {t("action.delete")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Maximum number of names shown; the rest is counted. */
const SHOWN = 12;

/** Resources that name this one prevent a deletion: the gateway rejects one that breaks a route. */
function DeleteText({ kind, id }: { kind: Kind; id: string }) {
  const { t } = useTranslation();
  const { users } = useReferrers(kind, id);
  if (users.length === 0) return <Text size="sm">{t("delete.text")}</Text>;
  const names = users.slice(0, SHOWN).map((user) => `${user.kind}/${user.id}`);
  const more = users.length - names.length;
  return (
    <Stack gap="xs">
      <Text size="sm">{t("delete.named", { count: users.length })}</Text>
      <Text size="sm" className="code wrapped">
        {names.join(", ")}
      </Text>
      {more > 0 ? <Text size="sm">{t("uses.more", { count: more })}</Text> : null}
    </Stack>
  );
}

const first = (value: Value, one: string, list: string): string | undefined =>
  [value[one], value[list]].flat().find((text): text is string => typeof text === "string");

/** Builds a request that matches host, path, method and client of a route, with examples in place of wildcards. */
function requestFor(value: Value): WhichRouteSearch {
  const host = first(value, "host", "hosts")?.replace(/^\*\.?/, "www.");
  const path = (first(value, "uri", "uris") ?? "/").replace(/\*\w*$/, "").replace(/:\w+/g, "1");
  const methods = [value["methods"]].flat().filter((method) => typeof method === "string");
  const [method = "GET"] = methods;
  const client = first(value, "remote_addr", "remote_addrs")?.replace(/\/\d+$/, "");
  return {
    ...{ url: host === undefined ? path : `http://${host}${path}` },
    ...(methods.includes("GET") || method === "GET" ? {} : { method }),
    ...(client !== undefined && { client }),
  };
}
