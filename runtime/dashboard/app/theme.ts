import { type CSSVariablesResolver, createTheme } from "@mantine/core";

export const theme = createTheme({
  primaryColor: "blue",
  // Shade 8 has a contrast of 5.6:1 on white; shade 6, Mantine's default, has 3.6:1.
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 6,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "20px" },
  spacing: { xs: "4px", sm: "8px", md: "12px", lg: "16px", xl: "24px" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "20px", lineHeight: "28px" },
      h2: { fontSize: "16px", lineHeight: "24px" },
      h3: { fontSize: "14px", lineHeight: "20px" },
    },
  },
  respectReducedMotion: true,
  components: {
    // Inside its landmark. Mantine's placeholder for the first focus is disabled, because it is no menu item.
    Menu: { defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false } },
    // Mantine renders <header>, which outside of sections is a second banner of the page.
    ModalHeader: { defaultProps: { component: "div" } },
    // A list that opens on focus covers the next field in the tab order.
    Select: { defaultProps: { openOnFocus: false } },
    MultiSelect: { defaultProps: { openOnFocus: false } },
    TagsInput: { defaultProps: { openOnFocus: false } },
    Autocomplete: { defaultProps: { openOnFocus: false } },
    // Lets the keyboard scroll to cells outside of a narrow window.
    TableScrollContainer: { defaultProps: { type: "native", tabIndex: 0 } },
    // A truncated state is meaningless: a narrow table scrolls before its badges shrink.
    Badge: { defaultProps: { miw: "max-content" } },
    ModalTitle: { defaultProps: { fw: 600, fz: "lg" } },
    DrawerTitle: { defaultProps: { fw: 600, fz: "lg" } },
    Notification: { defaultProps: { withBorder: true } },
    DrawerHeader: { defaultProps: { component: "div" } },
  },
});

/**
 * Colors with a contrast of 4.5:1. Mantine's greys have 2.1 to 3.3, and its colored text on a light
 * background of the same color 2.7 to 3.8.
 */
export const contrast: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5f666d",
    "--mantine-color-placeholder": "#6b7278",
    "--mantine-color-green-light-color": "#1f6b2e",
    "--mantine-color-yellow-light-color": "#7a4100",
    "--mantine-color-red-light-color": "#b42323",
    "--mantine-color-blue-light-color": "#15568f",
    "--code-string": "#087f5b",
  },
  dark: {
    "--mantine-color-dimmed": "#a9adb2",
    "--mantine-color-placeholder": "#9a9ea3",
    // A tint with colored text: Mantine's defaults are the most prominent part of a page.
    "--mantine-color-yellow-light": "rgba(255, 212, 59, 0.07)",
    "--mantine-color-yellow-light-color": "#ffe066",
    "--mantine-color-red-light": "rgba(255, 107, 107, 0.09)",
    "--mantine-color-red-light-color": "#ffa8a8",
    "--code-string": "#63e6be",
  },
});

/** Nonce of this page, which the content security policy requires in style elements. */
export const styleNonce = (): string =>
  document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? "";
