import {
  ActionIcon,
  AppShell,
  Badge,
  Group,
  Menu,
  NavLink,
  Text,
  useMantineColorScheme,
} from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import {
  IconAdjustments,
  IconLanguage,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSun,
  IconUser,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { ASK_AGAIN_MS, readSession, useAwaySince } from "../api/client";
import { renewSession, signOut, useSession } from "../api/session";
import { setLanguage } from "../i18n/language";
import { LANGUAGES } from "../i18n/languages";
import { timeOfDay } from "../pages/formats";
import { useArrival, useWindowTitle } from "./arrival";
import { useShortcuts } from "./keys";
import { PAGES } from "./page-list";
import { openPalette, Palette } from "./palette";

/** Shows only icons below 1,100 px, and a bar at the bottom below 640 px. */
export function Shell({ children }: { children: ReactNode }) {
  const wide = useMediaQuery("(min-width: 1100px)", true, { getInitialValueInEffect: false });
  const phone = useMediaQuery("(max-width: 640px)", false, { getInitialValueInEffect: false });
  const { t } = useTranslation();
  const main = useRef<HTMLElement>(null);
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: wide ? 208 : 56, breakpoint: 0, collapsed: { desktop: phone, mobile: phone } }}
      {...(phone && { footer: { height: 56 } })}
      padding="lg"
    >
      <AppShell.Header>
        <button type="button" className="skip" onClick={() => main.current?.focus()}>
          {t("rail.skip")}
        </button>
        <Header />
      </AppShell.Header>
      {phone ? (
        <AppShell.Footer>
          <Rail labels across />
        </AppShell.Footer>
      ) : (
        <AppShell.Navbar p="sm">
          <Rail labels={wide} />
        </AppShell.Navbar>
      )}
      <AppShell.Main ref={main} tabIndex={-1}>
        {children}
      </AppShell.Main>
      <Palette />
      <OfAddress />
    </AppShell>
  );
}

/** A component of its own: a navigation renders the navigation bar and the page, but not header and menus. */
function OfAddress() {
  useShortcuts();
  useWindowTitle();
  useArrival();
  return null;
}

function Rail({ labels, across = false }: { labels: boolean; across?: boolean }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  // A new resource belongs to the list of its kind.
  const at = pathname.replace(/^\/new(?=\/)/, "");
  const isAt = (path: string) => at === path || (path !== "/" && at.startsWith(`${path}/`));
  const Box = across ? Group : "div";
  const rail = useRef<HTMLElement>(null);
  useEffect(() => {
    const here = rail.current?.querySelector(`[aria-current="page"][data-path]`);
    if (across && pathname !== "") here?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [across, pathname]);
  return (
    <nav aria-label={t("rail.label")} ref={rail}>
      <Box {...(across && { gap: 0, wrap: "nowrap", className: "rail-across" })}>
        {PAGES.map(({ to, params, path, label, icon: Icon }) => (
          <NavLink
            key={path}
            className="rail-link"
            data-path={path}
            renderRoot={(props) => <Link to={to} params={params} {...props} />}
            label={labels ? t(label) : undefined}
            aria-label={t(label)}
            title={labels ? undefined : t(label)}
            active={isAt(path)}
            aria-current={isAt(path) ? "page" : undefined}
            leftSection={<Icon size={18} aria-hidden />}
          />
        ))}
      </Box>
    </nav>
  );
}

function Header() {
  const { t } = useTranslation();
  const session = useSession();
  return (
    <Group h="100%" px="lg" justify="space-between" wrap="nowrap">
      <Group gap="md" wrap="nowrap">
        <Text fw={600}>gwc</Text>
        {session?.read_only ? <Badge color="gray">{t("session.read_only")}</Badge> : null}
        <Away />
      </Group>
      <Group gap="xs" wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t("palette.open")}
          title={`${t("palette.open")} (Ctrl K)`}
          onClick={openPalette}
        >
          <IconSearch size={18} aria-hidden />
        </ActionIcon>
        <SessionMenu />
      </Group>
    </Group>
  );
}

const THEMES = [
  { theme: "light", icon: IconSun },
  { theme: "dark", icon: IconMoon },
  { theme: "auto", icon: IconAdjustments },
] as const;

function SessionMenu() {
  const { t, i18n } = useTranslation();
  const session = useSession();
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("session.menu")}>
          <IconUser size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {t("session.signed_in_as", { name: session?.name ?? t("session.no_key"), role: session?.role })}
        </Menu.Label>
        {THEMES.map(({ theme, icon: Icon }) => (
          <Menu.Item
            key={theme}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => setColorScheme(theme)}
          >
            {t(`theme.${theme}`)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {LANGUAGES.map(({ code, name }) => (
          <Menu.Item
            key={code}
            lang={code}
            leftSection={<IconLanguage size={16} aria-hidden />}
            disabled={i18n.language === code}
            onClick={() => setLanguage(code)}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => signOut("left")}>
          {t("session.sign_out")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Shown in the header, where it moves nothing. Refetches everything once the gateway responds. */
function Away() {
  const { t, i18n } = useTranslation();
  const since = useAwaySince();
  const queries = useQueryClient();
  useEffect(() => {
    if (since === undefined) return;
    const timer = setInterval(() => void readSession().then(renewSession, () => {}), ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      void queries.invalidateQueries();
    };
  }, [since, queries]);
  if (since === undefined) return null;
  const time = timeOfDay(since, i18n.language);
  return (
    <Badge color="red" role="status" title={t("away.text", { time })}>
      {t("away.short", { time })}
    </Badge>
  );
}
