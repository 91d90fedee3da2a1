import { Button, Group, Modal, MultiSelect, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { attach, type Referrer, type Referrers, useReferrers } from "../api/references";
import type { Kind } from "../api/resources";
import { useLive } from "./live";
import { notifyFailure } from "./refused";

/** Names that are shown; of thousands the number tells more. */
const SHOWN = 40;

interface Named {
  kind: Kind;
  id: string;
}

/** Which routes and services name this resource, and a way to have many of them name it in one step. */
export function UsedBy({ kind, id, readOnly }: Named & { readOnly: boolean }) {
  const { t } = useTranslation();
  const referrers = useReferrers(kind, id);
  const { users, loaded } = referrers;
  const [open, setOpen] = useState(false);
  return (
    <Stack gap="sm" component="section" aria-label={t("uses.title")}>
      <Group justify="space-between">
        <Title order={2}>{t("uses.title")}</Title>
        <Button variant="default" disabled={readOnly || !loaded} onClick={() => setOpen(true)}>
          {t("uses.attach")}
        </Button>
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
        opened={open}
        onClose={() => setOpen(false)}
        title={t("uses.attach_title", { id })}
        size="lg"
        closeButtonProps={{ "aria-label": t("action.close") }}
      >
        <Attach {...{ kind, id, referrers }} onDone={() => setOpen(false)} />
      </Modal>
    </Stack>
  );
}

const keyOf = ({ kind, id }: Named): string => `${kind}/${id}`;

interface AttachProps extends Named {
  referrers: Referrers;
  onDone(): void;
}

function Attach({ kind, id, referrers: { others }, onDone }: AttachProps) {
  const { t } = useTranslation();
  const save = useAttach(kind, id);
  const [chosen, setChosen] = useState<string[]>([]);
  const [saving, setSaving] = useState(false);
  const groups = [...new Set(others.map((one) => one.kind))].map((one) => ({
    group: t(`page.${one}`),
    items: others
      .filter((other) => other.kind === one)
      .map((other) => ({ value: keyOf(other), label: keyOf(other) })),
  }));
  async function go() {
    setSaving(true);
    await save(others.filter((other) => chosen.includes(keyOf(other))));
    onDone();
  }
  return (
    // Beside the field: what it opens would cover what stands below.
    <Group gap="md" align="flex-end" wrap="nowrap">
      <MultiSelect
        data-autofocus
        flex={1}
        label={t("uses.to")}
        description={t("uses.replaces")}
        data={groups}
        value={chosen}
        onChange={setChosen}
        limit={SHOWN}
        searchable
        nothingFoundMessage={t("palette.nothing")}
      />
      <Button disabled={chosen.length === 0} loading={saving} onClick={() => void go()}>
        {t("uses.attach_to", { count: chosen.length })}
      </Button>
    </Group>
  );
}

/** Says what was attached, with an undo for all of it, and each refusal with its reason. */
function useAttach(kind: Kind, id: string): (to: readonly Referrer[]) => Promise<void> {
  const { t } = useTranslation();
  const live = useLive();
  return async (to) => {
    const { changes, refused } = await attach(kind, id, to);
    for (const { referrer, error } of refused)
      notifyFailure(t("uses.refused", { name: keyOf(referrer) }), error);
    if (changes.length > 0) await live(t("uses.attached", { id, count: changes.length }), changes);
  };
}
