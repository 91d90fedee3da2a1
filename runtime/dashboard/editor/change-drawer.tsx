import { Alert, Button, Drawer, Group, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AdminError } from "../api/client";
import { changeQuery, revert, type WholeChange } from "../api/history";
import { currentNote, useRefetch } from "../api/resources";
import { useWriteRefusal } from "../api/session";
import { DataTable, Pending } from "../pages/elements";
import { NoteField } from "../pages/note-field";
import { VersionsPanel } from "./changes-panel";
import { editable } from "./draft";
import { useLive } from "./live";
import { notifyFailure, Rejection } from "./rejection";

export function ChangeDrawer({ number, onClose }: { number: number | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Drawer
      opened={number !== undefined}
      onClose={onClose}
      position="right"
      size="xl"
      title={number === undefined ? "" : t("history.change", { number })}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      {number === undefined ? null : <Opened key={number} number={number} onDone={onClose} />}
    </Drawer>
  );
}

function Opened({ number, onDone }: { number: number; onDone: () => void }) {
  const { t } = useTranslation();
  const query = useQuery(changeQuery(number));
  const { data } = query;
  if (!data) return <Pending query={query} h={200} />;
  return (
    <Stack gap="md">
      {data.note === null ? null : <Text>{data.note}</Text>}
      <Text size="sm" className="code">
        {data.kind}/{data.id}
      </Text>
      <VersionsPanel before={data.before} after={data.after} />
      {data.origin === "files" ? (
        <Alert color="gray">
          {t(data.after === null ? "history.file_gone" : "history.file_truth", { place: data.place ?? "" })}
        </Alert>
      ) : (
        <TakeBack change={data} onDone={onDone} />
      )}
    </Stack>
  );
}

type Conflict = WholeChange["conflicts"][number];

/** Reverts a change, and shows the result if the resource has changed since. */
function TakeBack({ change, onDone }: { change: WholeChange; onDone: () => void }) {
  const { t } = useTranslation();
  const { number, kind, id, current, conflicts, now, taken_back: result } = change;
  const refusal = useWriteRefusal();
  const live = useLive();
  const forget = useRefetch();
  const [failure, setFailure] = useState<AdminError>();
  const [isBusy, setBusy] = useState(false);
  const isOver = conflicts.length > 0;
  const present = presentOf(change);
  const text = (value: typeof present) => JSON.stringify(value && editable(value));
  const isNothing = !current && !isOver && text(present) === text(result);
  async function takeBack() {
    setFailure(undefined);
    setBusy(true);
    try {
      await revert(number, { note: currentNote(), ...(isOver && { over: now }) });
      onDone();
      await live(`${kind}/${id}`, []);
    } catch (error) {
      if (error instanceof AdminError) setFailure(error);
      else notifyFailure(t("failed.save"), error);
      await forget();
    }
    setBusy(false);
  }
  return (
    <Stack gap="sm">
      {current ? null : <Since change={change} isNothing={isNothing} />}
      <Rejection failure={failure} />
      {isNothing ? null : <NoteField of />}
      <Group justify="flex-end">
        {refusal === undefined ? null : <Text size="sm">{refusal}</Text>}
        <Button
          {...(isOver && { color: "red" })}
          loading={isBusy}
          disabled={refusal !== undefined || isNothing}
          onClick={() => void takeBack()}
        >
          {t(isOver ? "history.over" : "history.revert")}
        </Button>
      </Group>
    </Stack>
  );
}

function Since({ change, isNothing }: { change: WholeChange; isNothing: boolean }) {
  const { t } = useTranslation();
  const { number, conflicts, taken_back: result } = change;
  if (isNothing) return <Alert color="gray">{t("history.nothing_left")}</Alert>;
  const fields = conflicts.filter(({ field }) => field !== "");
  const isWhole = fields.length < conflicts.length;
  return (
    <>
      <Alert color="yellow">
        {t(isWhole ? "history.whole" : fields.length > 0 ? "history.conflicts" : "history.later", {
          count: fields.length,
        })}
        {fields.length > 0 ? <Fields fields={fields} number={number} /> : null}
      </Alert>
      <VersionsPanel before={presentOf(change)} after={result} />
    </>
  );
}

const presentOf = ({ now }: WholeChange) => (now?.["value"] ?? null) as WholeChange["before"];

/** Fields that a later change has also changed: each with its value before, after and now. */
function Fields({ fields, number }: { fields: readonly Conflict[]; number: number }) {
  const { t } = useTranslation();
  const heads = [
    t("history.field"),
    t("history.field_before"),
    t("history.field_after", { number }),
    t("history.field_now"),
  ];
  const shown = (value: unknown) => (value === null ? t("history.nothing") : JSON.stringify(value));
  return (
    // A scrollable element must be reachable by the keyboard.
    <DataTable minWidth={320} columns={heads}>
      {fields.map(({ field, before, after, now }) => (
        <Table.Tr key={field}>
          <Table.Th className="code wrapped">{field}</Table.Th>
          <Table.Td className="code wrapped">{shown(before)}</Table.Td>
          <Table.Td className="code wrapped">{shown(after)}</Table.Td>
          <Table.Td className="code wrapped">{shown(now)}</Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}
