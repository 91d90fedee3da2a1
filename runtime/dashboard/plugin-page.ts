import type { Icon } from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { LanguageCode } from "./i18n/languages";

/** Texts of a page by language, by flat keys that begin with the plugin's name. */
export type PluginTexts = Readonly<Record<LanguageCode, Readonly<Record<string, string>>>>;

/**
 * A page of a plugin, exported by `dashboard/index.ts` of its folder. `plugins/dashboard.ts` lists all; the
 * interface adds them to its navigation, palette and keys without knowing any name.
 */
export interface PluginPage {
  /** Last segment of its URL: `/gw/ui/plugin/<name>`. */
  name: string;
  /** Letter that follows `g`. */
  key: string;
  icon: Icon;
  /** Label in the navigation. */
  label: Readonly<Record<LanguageCode, string>>;
  /**
   * Texts for items of the plugin in the overview, by `attention.<kind>` and `attention.do.<kind>`, with
   * placeholders for their values.
   */
  attention?: PluginTexts;
  /** Loads the code when the page is first opened. */
  load(): Promise<PluginPageCode>;
}

interface PluginPageCode {
  Page: ComponentType<PluginPageProps>;
  texts: PluginTexts;
}

export interface PluginPageProps {
  /** Open part of the page. It is in the URL, so that it can be shared. */
  open: string | undefined;
  onOpen(what: string | undefined): void;
  /** Search text of the page, which is also in the URL; "" for none. */
  sought: string;
  onSeek(words: string): void;
}
