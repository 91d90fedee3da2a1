import { type CSSVariablesResolver, createTheme } from "@mantine/core";

/** One accent, small radii, system type. */
export const theme = createTheme({
  primaryColor: "blue",
  // Shade 8 on white has 5.6:1; shade 6, the kit's own, 3.6:1.
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
    // Within its landmark, and without the kit's element for the first focus, which is no item of a menu.
    Menu: { defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false } },
    // The kit makes <header> of them, which outside of sections is a second banner of the page.
    ModalHeader: { defaultProps: { component: "div" } },
    // A list that opens by itself covers the field that Tab goes to next.
    Select: { defaultProps: { openOnFocus: false } },
    MultiSelect: { defaultProps: { openOnFocus: false } },
    TagsInput: { defaultProps: { openOnFocus: false } },
    Autocomplete: { defaultProps: { openOnFocus: false } },
    // Cells behind the edge of a narrow window are scrolled to with the keyboard.
    TableScrollContainer: { defaultProps: { type: "native", tabIndex: 0 } },
    // A state that is cut says nothing: a narrow table scrolls before its badges shrink.
    Badge: { defaultProps: { miw: "max-content" } },
    ModalTitle: { defaultProps: { fw: 600, fz: "lg" } },
    DrawerTitle: { defaultProps: { fw: 600, fz: "lg" } },
    Notification: { defaultProps: { withBorder: true } },
    DrawerHeader: { defaultProps: { component: "div" } },
  },
});

/** Colours that have 4.5:1 on their ground; the kit's greys have 2.1 to 3.3, its coloured words on a light ground of their colour 2.7 to 3.8. */
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
    // A tint, and words in colour: the kit's own are the loudest thing on the page.
    "--mantine-color-yellow-light": "rgba(255, 212, 59, 0.07)",
    "--mantine-color-yellow-light-color": "#ffe066",
    "--mantine-color-red-light": "rgba(255, 107, 107, 0.09)",
    "--mantine-color-red-light-color": "#ffa8a8",
    "--code-string": "#63e6be",
  },
});

/** Nonce of this page for style elements, which the policy wants from each. */
export const styleNonce = (): string =>
  document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? "";
