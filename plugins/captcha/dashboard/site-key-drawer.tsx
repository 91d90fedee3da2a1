import { Drawer, type DrawerProps, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Pending } from "../../../runtime/dashboard/plugin-kit";
import { type Service, type Version, versionQuery } from "./api";
import { InPage } from "./in-page";
import { SiteKeyForm } from "./site-key-form";

/** Shown if the service's address is unknown; the same as in its documentation. */
const EXAMPLE_URL = "https://captcha.example.com";

export type SiteKeyTab = "settings" | "page";

interface SiteKeyDrawerProps {
  id: string;
  tab: SiteKeyTab;
  service: Service | undefined;
  onClose(): void;
}

export function SiteKeyDrawer({ id, tab, service, onClose }: SiteKeyDrawerProps) {
  const { t } = useTranslation();
  const query = useQuery(versionQuery("site-keys", id));
  const { data } = query;
  const url = service?.state === "up" ? service.counts.url : EXAMPLE_URL;
  return (
    <KeyDrawer title={t("captcha.site_key_of", { id })} onClose={onClose}>
      <Pending query={query} h={320} />
      {data ? <Known version={data} tab={tab} place={{ url, siteKey: id }} onDone={onClose} /> : null}
    </KeyDrawer>
  );
}

function KeyDrawer(props: Pick<DrawerProps, "title" | "onClose" | "closeOnClickOutside" | "children">) {
  const { t } = useTranslation();
  const close = { "aria-label": t("action.close") };
  return <Drawer opened position="right" size="xl" closeButtonProps={close} {...props} />;
}

interface KnownProps {
  version: Version;
  place: { url: string; siteKey: string };
  tab: SiteKeyTab;
  onDone(): void;
}

function Known({ version, place, tab, onDone }: KnownProps) {
  const { t } = useTranslation();
  return (
    <Tabs defaultValue={tab} keepMounted>
      <Tabs.List>
        <Tabs.Tab value="settings">{t("captcha.settings")}</Tabs.Tab>
        <Tabs.Tab value="page">{t("captcha.in_page")}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="settings" pt="md">
        <SiteKeyForm id={place.siteKey} beginning={version} onDone={onDone} />
      </Tabs.Panel>
      <Tabs.Panel value="page" pt="md">
        <InPage value={version.value} place={place} />
      </Tabs.Panel>
    </Tabs>
  );
}

interface NewSiteKeyDrawerProps {
  customer: string;
  onClose(): void;
  onMade(id: string): void;
}

export function NewSiteKeyDrawer({ customer, onClose, onMade }: NewSiteKeyDrawerProps) {
  const { t } = useTranslation();
  const beginning = { value: { customer, hostnames: [] }, etag: null, origin: undefined };
  return (
    <KeyDrawer
      title={t("captcha.add_site_key_of", { customer })}
      onClose={onClose}
      closeOnClickOutside={false}
    >
      <SiteKeyForm id={undefined} beginning={beginning} onDone={onClose} onMade={onMade} />
    </KeyDrawer>
  );
}
