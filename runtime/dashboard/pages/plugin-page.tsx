import { Skeleton } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { Suspense } from "react";
import { PLUGIN_PAGES } from "../../../plugins/dashboard";
import { lazyPart } from "../api/fetched-code";
import { type PluginPageSearch, pluginPageRoute } from "../app/router";
import { addTexts } from "../i18n/language";
import type { PluginPage } from "../plugin-page";
import { NotFound } from "./elements";

const PAGES = new Map(PLUGIN_PAGES.map((page) => [page.name, lazyPart(() => loaded(page))]));

async function loaded(page: PluginPage) {
  const { Page, texts } = await page.load();
  addTexts(texts);
  return Page;
}

export function PluginsPage() {
  const { page } = pluginPageRoute.useParams();
  const { open, q = "" } = pluginPageRoute.useSearch();
  const navigate = useNavigate();
  const Page = PAGES.get(page);
  if (Page === undefined) return <NotFound />;
  return (
    <Suspense fallback={<Skeleton h={240} aria-busy />}>
      <Page
        open={open}
        onOpen={(what) =>
          void navigate({ to: "/plugin/$page", params: { page }, search: (now) => ({ ...now, open: what }) })
        }
        sought={q}
        onSeek={(words) => {
          const search = (now: PluginPageSearch) => ({ ...now, q: words || undefined });
          void navigate({ to: "/plugin/$page", params: { page }, search, replace: true });
        }}
      />
    </Suspense>
  );
}
