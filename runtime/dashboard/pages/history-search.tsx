import { Button, Group, SegmentedControl, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type HistorySearch as Asked, ORIGINS } from "../api/history";
import { useAddressSoon } from "../app/address-soon";
import { historyRoute } from "../app/router";

/** Debounce time in ms before the URL and the query change. */
const REST_MS = 200;

export function HistorySearch() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { search = "", origin, kind, id } = historyRoute.useSearch();
  const [typed, setTyped] = useState(search);
  const [taken, setTaken] = useState(search);
  // Another URL, from "Show all" or a link, sets the search; otherwise the typed text will replace the URL.
  if (taken !== search) {
    setTaken(search);
    if (search === "" || typed === taken) setTyped(search);
  }
  const go = (next: Asked) => void navigate({ to: "/history", search: next, replace: true });
  const ask = useAddressSoon((text: string) => go({ search: text || undefined, origin, kind, id }), REST_MS);
  return (
    <Group gap="md">
      <TextInput
        type="search"
        flex="1 1 260px"
        maw={480}
        aria-label={t("history.search")}
        placeholder={t("history.search_hint")}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          ask(value);
        }}
      />
      <SegmentedControl
        aria-label={t("history.origin")}
        data={[
          { value: "", label: t("history.origin_all") },
          ...ORIGINS.map((value) => ({ value, label: t(`history.origin_${value}`) })),
        ]}
        value={origin ?? ""}
        onChange={(value) =>
          go({ search: search || undefined, origin: ORIGINS.find((one) => one === value), kind, id })
        }
      />
      {kind && id ? (
        <Group gap="sm">
          <Text>{t("history.only_of", { name: `${kind}/${id}` })}</Text>
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => go({ search: search || undefined, origin })}
          >
            {t("list.show_all")}
          </Button>
        </Group>
      ) : null}
    </Group>
  );
}
