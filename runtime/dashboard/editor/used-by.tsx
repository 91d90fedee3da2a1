import { Button, Group, Modal, MultiSelect, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { attach, type Referrer, type Referrers, routesAmong, useReferrers } from "../api/references";
import { type Kind, listQuery } from "../api/resources";
import { Dimmed } from "../pages/elements";
import { NARROWED_BY, rowsOf, useBringers } from "../pages/resource-rows";
import { filtered } from "../pages/row-filter";
import { useLive } from "./live";
import { notifyFailure } from "./rejection";

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

/** Maximum number of names shown; the rest is counted. */
const SHOWN = 40;
/** Maximum number of failures shown with their reason. */
const TOLD = 5;

export type Doing = "attach" | "detach";

const keyOf = ({ kind, id }: { kind: Kind; id: string }): string => `${kind}/${id}`;

interface AttachManyProps {
  kind: Kind;
  id: string;
  doing: Doing;
  referrers: Referrers;
  onDone(): void;
}

/** Makes many routes and services name a resource, or none, in one step. */
function AttachMany({ kind, id, doing, referrers, onDone }: AttachManyProps) {
  const { t } = useTranslation();
  const { users, others, filed } = referrers;
  const offered = doing === "attach" ? others : users.filter(({ fromFile }) => !fromFile);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [search, setSearch] = useState("");
  const [done, setDone] = useState<number>();
  const fitting = useFitting(offered, search);
  const save = useAttach(kind, id, doing);
  const taken = useMemo(() => {
    const keys = new Set(chosen);
    return offered.filter((one) => keys.has(keyOf(one)));
  }, [offered, chosen]);
  const choose = (more: readonly string[]) => setChosen([...new Set(more)]);
  async function go() {
    setDone(0);
    await save(taken, setDone);
    onDone();
  }
  return (
    <Stack gap="md">
      {/* Next to the field if there is room: its list would cover content below. */}
      <Group gap="md" align="flex-end">
        <Choice {...{ doing, fitting, chosen, search }} onSearch={setSearch} onChoose={choose} />
        <Stack gap="xs">
          <Button
            variant="default"
            disabled={fitting.length === 0 || done !== undefined}
            onClick={() => choose([...chosen, ...fitting.map(keyOf)])}
          >
            {t(search.trim() === "" ? "uses.choose_all" : "uses.choose_fitting", { count: fitting.length })}
          </Button>
          <Button disabled={taken.length === 0} loading={done !== undefined} onClick={() => void go()}>
            {t(`uses.${doing}_to`, { count: taken.length })}
          </Button>
        </Stack>
      </Group>
      {taken.length > 0 ? <Effect {...{ taken, doing }} /> : null}
      {done === undefined ? null : (
        <Text size="sm" role="status">
          {t("uses.step", { done, total: taken.length })}
        </Text>
      )}
      {doing === "attach" && filed > 0 ? <Dimmed>{t("uses.filed", { count: filed })}</Dimmed> : null}
    </Stack>
  );
}

/** Resources that match a search, with the syntax of lists: words, `label:`, `host:`, `plugin:` and the others. */
function useFitting(offered: readonly Referrer[], search: string): readonly Referrer[] {
  const bringers = useBringers("routes", "services");
  const rows = useMemo(() => {
    const all = rowsOf(
      offered.map(({ resource }) => resource),
      bringers,
    );
    return offered.map((referrer, at) => {
      const row = all[at];
      return row && { ...row, referrer, words: `${keyOf(referrer).toLowerCase()}\n${row.words}` };
    });
  }, [offered, bringers]);
  return useMemo(
    () =>
      filtered(
        rows.filter((row) => row !== undefined),
        search,
      ).map(({ referrer }) => referrer),
    [rows, search],
  );
}

interface ChoiceProps {
  doing: Doing;
  fitting: readonly Referrer[];
  chosen: readonly string[];
  search: string;
  onSearch(search: string): void;
  onChoose(chosen: readonly string[]): void;
}

function Choice({ doing, fitting, chosen, search, onSearch, onChoose }: ChoiceProps) {
  const { t } = useTranslation();
  const groups = [...new Set(fitting.map((one) => one.kind))].map((one) => ({
    group: t(`page.${one}`),
    items: fitting
      .filter((other) => other.kind === one)
      .slice(0, SHOWN)
      .map((other) => ({ value: keyOf(other), label: keyOf(other) })),
  }));
  const hidden = chosen.slice(SHOWN);
  const leaving = useRef(false);
  return (
    <MultiSelect
      data-autofocus
      flex="1 1 280px"
      label={t("uses.to")}
      description={t(doing === "attach" ? "uses.replaces" : "uses.names_none")}
      placeholder={t("list.search_hint", { narrowed: NARROWED_BY.services.join(" ") })}
      data={groups}
      // The search of lists has already filtered them.
      filter={({ options }) => options}
      value={chosen.slice(0, SHOWN)}
      onChange={(next) => onChoose(next.length === 0 ? [] : [...next, ...hidden])}
      searchValue={search}
      // Mantine clears the search on blur; "all that match" would then be all resources.
      onSearchChange={(text) => (leaving.current ? undefined : onSearch(text))}
      onFocus={() => {
        leaving.current = false;
      }}
      onBlur={() => {
        leaving.current = true;
      }}
      searchable
      clearable
      clearButtonProps={{ "aria-label": t("uses.choose_none") }}
      nothingFoundMessage={t("palette.nothing")}
    />
  );
}

function Effect({ taken, doing }: { taken: readonly Referrer[]; doing: Doing }) {
  const { t } = useTranslation();
  const { data: routes = [] } = useQuery(listQuery("routes"));
  const replaced = doing === "attach" ? taken.filter(({ names }) => names !== undefined) : [];
  const names = replaced.slice(0, TOLD).map((one) => `${keyOf(one)} (${one.names})`);
  return (
    <Stack gap={2}>
      <Text size="sm">
        {t("uses.chosen", { count: taken.length })} {t("uses.routes", { count: routesAmong(taken, routes) })}
        {taken.length > SHOWN ? ` ${t("uses.not_shown", { count: taken.length - SHOWN })}` : ""}
      </Text>
      {replaced.length > 0 ? (
        <Text size="sm" c="var(--mantine-color-text)">
          {t("uses.in_place", { count: replaced.length })} <span className="code">{names.join(", ")}</span>
          {replaced.length > TOLD ? ` ${t("uses.more", { count: replaced.length - TOLD })}` : ""}
        </Text>
      ) : null}
    </Stack>
  );
}

/** Attaches or detaches, and notifies: the changes with an undo for all, and the failures with their reasons. */
function useAttach(kind: Kind, id: string, doing: Doing) {
  const { t } = useTranslation();
  const live = useLive();
  return async (to: readonly Referrer[], onStep: (done: number) => void) => {
    const { changes, refused } = await attach(kind, doing === "attach" ? id : null, to, onStep);
    if (refused.length > 0) {
      const reasons = refused
        .slice(0, TOLD)
        .map(
          ({ referrer, error }) =>
            `${keyOf(referrer)}: ${error instanceof Error ? error.message : String(error)}`,
        );
      const more = refused.length - TOLD;
      notifyFailure(
        t("uses.refused", { count: refused.length, total: to.length }),
        [...reasons, ...(more > 0 ? [t("uses.more", { count: more })] : [])].join("; "),
      );
    }
    if (changes.length > 0) await live(t(`uses.${doing}ed`, { id, count: changes.length }), changes);
  };
}
