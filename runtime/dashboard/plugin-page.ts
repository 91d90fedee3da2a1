import type { Icon } from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { LanguageCode } from "./i18n/languages";

/** Texts of a page by language, by flat keys that begin with the plugin's name. */
export type PluginTexts = Readonly<Record<LanguageCode, Readonly<Record<string, string>>>>;

/**
 * A page that a plugin brings, as `dashboard/index.ts` of its folder says it. `plugins/dashboard.ts` lists them; the interface has
 * them in its rail, its palette and its keys, and knows none by name.
 */
export interface PluginPage {
  /** End of its address: `/gw/ui/plugin/<name>`. */
  name: string;
  /** Letter that follows `g`. */
  key: string;
  icon: Icon;
  /** As the rail calls it. */
  label: Readonly<Record<LanguageCode, string>>;
  /** Words for what the plugin tells the overview, by `attention.<kind>` and `attention.do.<kind>`, with holes for its values. */
  attention?: PluginTexts;
  /** Code that is needed once somebody looks at it. */
  load(): Promise<PluginPageCode>;
}

export interface PluginPageCode {
  Page: ComponentType<PluginPageProps>;
  texts: PluginTexts;
}

export interface PluginPageProps {
  /** Open part of the page. It stands in the address, so that it can be sent to somebody. */
  open: string | undefined;
  onOpen(what: string | undefined): void;
  /** Search of the page, which its address has too; "" for none. */
  sought: string;
  onSeek(words: string): void;
}
