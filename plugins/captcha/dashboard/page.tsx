import { Alert, Anchor, Button, Code, Group, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconAlertTriangle, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  Dimmed,
  exactly,
  fromNow,
  idOf,
  LoadFailed,
  type Resource,
  useAddressSoon,
  useWriteRefusal,
} from "../../../runtime/dashboard/plugin-kit";
import type { PluginPageProps } from "../../../runtime/dashboard/plugin-page";
import { apiKeysQuery, customersQuery, type Service, serviceQuery, siteKeysQuery } from "./api";
import { Copied } from "./copied";
import { CustomerDialog } from "./customer-dialog";
import { CustomerSection } from "./customer-section";
import { SiteKeyDrawer, type SiteKeyTab } from "./site-key-drawer";
import { Statistics } from "./statistics";
import { expiryOf, type Owned, owned, ownerOf, stateOf } from "./values";

/** A search finds the other customers. */
const SHOWN = 25;
/** The first to expire first. */
const WARNED = 3;

/** No key contains a colon. */
function placeIn(open: string): { id: string; tab: SiteKeyTab } {
  const [id = "", tab] = open.split(":");
  return { id, tab: tab === "page" ? tab : "settings" };
}

export function CaptchaPage({ open, onOpen, sought, onSeek }: PluginPageProps) {
  const { t } = useTranslation();
  const service = useQuery(serviceQuery);
  const customers = useQuery(customersQuery);
  const siteKeys = useQuery(siteKeysQuery);
  const apiKeys = useQuery(apiKeysQuery);
  const failed = [customers, siteKeys, apiKeys, service].find(({ error, data }) => error && !data);
  const loaded = customers.data && siteKeys.data && apiKeys.data && service.data;
  // Late parts would move the text under the reader.
  const isShown = loaded !== undefined || failed !== undefined;
  const isUnused = loaded && service.data.state === "absent" && customers.data.length === 0;
  return (
    <Stack gap="lg">
      <Group justify="space-between" mih={36}>
        <Title order={1}>{t("captcha.title")}</Title>
        {loaded && !isUnused ? <AddCustomer /> : null}
      </Group>
      {failed?.error ? <LoadFailed error={failed.error} retry={() => void failed.refetch()} /> : null}
      {loaded || failed ? null : <Skeleton h={240} aria-busy />}
      {isShown && service.data ? <ServiceLine service={service.data} /> : null}
      <Expiring apiKeys={apiKeys.data ?? []} />
      {loaded && !isUnused ? (
        <Customers
          {...{ sought, onSeek }}
          customers={(search) => owned(customers.data, siteKeys.data, apiKeys.data, search)}
          onOpen={(siteKey, tab) => onOpen(tab === undefined ? siteKey : `${siteKey}:${tab}`)}
        />
      ) : null}
      {isShown && service.data?.state === "up" ? <Statistics {...service.data} /> : null}
      {open === undefined ? null : (
        <SiteKeyDrawer
          key={open}
          {...placeIn(open)}
          service={service.data}
          onClose={() => onOpen(undefined)}
        />
      )}
    </Stack>
  );
}

function ServiceLine({ service }: { service: Service }) {
  const { t, i18n } = useTranslation();
  if (service.state === "absent") return <Absent />;
  if (service.state === "away")
    return (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t("captcha.away")}>
        {service.reason}
      </Alert>
    );
  const { url, since, restart_needed: changed } = service.counts;
  const ago = fromNow((Date.parse(since) - Date.now()) / 1_000, i18n.language);
  return (
    <>
      <Dimmed>
        {t("captcha.answers_at")} <Code>{url}</Code> ·{" "}
        <time dateTime={since} title={exactly(since, i18n.language)}>
          {t("captcha.started", { ago })}
        </time>
      </Dimmed>
      {changed.length > 0 ? (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={t("captcha.restart_needed")}>
          {t("captcha.restart_needed_text", { settings: changed.join(", ") })}
        </Alert>
      ) : null}
    </>
  );
}

function Expiring({ apiKeys }: { apiKeys: readonly Resource[] }) {
  const { t, i18n } = useTranslation();
  const now = Date.now();
  const expiring = apiKeys
    .filter((one) => stateOf(one, now) === "expiring")
    .map((one) => ({ id: idOf(one), customer: ownerOf(one), left: (expiryOf(one) ?? now) - now }))
    .sort((a, b) => a.left - b.left);
  const more = expiring.length - WARNED;
  return (
    <>
      {expiring.slice(0, WARNED).map(({ id, customer, left }) => {
        const when = fromNow(left / 1_000, i18n.language);
        const title = t("captcha.expiring", { id, customer, when });
        return (
          <Alert key={id} color="yellow" icon={<IconAlertTriangle aria-hidden />} title={title}>
            {t("captcha.expiring_text")}
          </Alert>
        );
      })}
      {more > 0 ? <Text size="sm">{t("captcha.more_hosts", { count: more })}</Text> : null}
    </>
  );
}

function AddCustomer() {
  const { t } = useTranslation();
  const why = useWriteRefusal();
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Group>
        {why === undefined ? null : <Text size="sm">{why}</Text>}
        <Button disabled={why !== undefined} title={why} onClick={() => setOpened(true)}>
          {t("captcha.add_customer")}
        </Button>
      </Group>
      <CustomerDialog opened={opened} onClose={() => setOpened(false)} />
    </>
  );
}

interface CustomersProps extends Pick<PluginPageProps, "sought" | "onSeek"> {
  customers(search: string): Owned[];
  onOpen(siteKey: string, tab?: SiteKeyTab): void;
}

function Customers({ customers, onOpen, sought, onSeek }: CustomersProps) {
  const { t } = useTranslation();
  // Updated here at once, in the address after a delay.
  const [search, setSearch] = useState(sought);
  const toAddress = useAddressSoon(onSeek);
  const [most, setMost] = useState(SHOWN);
  const found = customers(search);
  if (search === "" && found.length === 0) return <Text maw={560}>{t("captcha.no_customer")}</Text>;
  return (
    <Stack gap="lg">
      <TextInput
        type="search"
        maw={480}
        leftSection={<IconSearch size={16} aria-hidden />}
        aria-label={t("captcha.search")}
        placeholder={t("captcha.search_hint")}
        value={search}
        onChange={({ currentTarget: { value } }) => {
          setSearch(value);
          toAddress(value);
        }}
      />
      {found.length === 0 ? <Text c="dimmed">{t("captcha.nothing_found")}</Text> : null}
      {found.slice(0, most).map((one) => (
        <CustomerSection key={idOf(one.customer)} {...one} onOpen={onOpen} />
      ))}
      {found.length > most ? (
        <Anchor component="button" type="button" onClick={() => setMost(most + SHOWN)}>
          {t("captcha.more", { count: found.length - most })}
        </Anchor>
      ) : null}
    </Stack>
  );
}

/** docs/captcha/README.md */
const SECTION = `captcha:
  url: https://captcha.example.com
  secret: \${{GW_CAPTCHA_SECRET}}
`;

function Absent() {
  const { t } = useTranslation();
  return (
    <Alert color="gray" title={t("captcha.absent")} maw={720}>
      <Stack gap="md">
        <Text size="sm">{t("captcha.absent_text")}</Text>
        <Copied title={t("captcha.absent_section")} text={SECTION} />
        <Text size="sm">{t("captcha.absent_settings")}</Text>
        <Copied title={t("captcha.absent_init")} text={"gwc captcha init --hostname example.com\n"} />
      </Stack>
    </Alert>
  );
}
