import { Button, Group, Modal, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useReferrers } from "../api/references";
import type { Kind } from "../api/resources";
import { AttachMany, type Doing, keyOf } from "./attach-many";

/** Maximum number of names shown; the rest is counted. */
const SHOWN = 40;

interface Named {
  kind: Kind;
  id: string;
}

/** Routes and services that name this resource, and a way to attach many in one step. */
export function UsedBy({ kind, id, readOnly }: Named & { readOnly: boolean }) {
  const { t } = useTranslation();
  const referrers = useReferrers(kind, id);
  const { users, loaded } = referrers;
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const own = users.filter(({ fromFile }) => !fromFile);
  return (
    <Stack gap="sm" component="section" aria-label={t("uses.title")}>
      <Group justify="space-between">
        <Title order={2}>{t("uses.title")}</Title>
        <Group gap="sm">
          {own.length > 0 ? (
            <Button variant="default" disabled={readOnly} onClick={() => setDoing("detach")}>
              {t("uses.detach")}
            </Button>
          ) : null}
          <Button variant="default" disabled={readOnly || !loaded} onClick={() => setDoing("attach")}>
            {t("uses.attach")}
          </Button>
        </Group>
      </Group>
      {loaded && users.length === 0 ? <Text c="dimmed">{t("uses.none")}</Text> : null}
      <Group gap="sm">
        {users.slice(0, SHOWN).map((user) => (
          <Link key={keyOf(user)} to="/$kind/$id" params={{ kind: user.kind, id: user.id }} className="code">
            {keyOf(user)}
          </Link>
        ))}
        {users.length > SHOWN ? <Text>{t("uses.more", { count: users.length - SHOWN })}</Text> : null}
      </Group>
      <Modal
        opened={doing !== undefined}
        onClose={close}
        title={t(`uses.${doing ?? "attach"}_title`, { id })}
        size="xl"
        closeOnClickOutside={false}
        closeButtonProps={{ "aria-label": t("action.close") }}
      >
        {doing === undefined ? null : <AttachMany {...{ kind, id, doing, referrers }} onDone={close} />}
      </Modal>
    </Stack>
  );
}
